/** @file A value that only later kernels ask for need not be stored by the product it comes from: where computing it there again moves less, it is left to them. */
import type { Region } from "../../ir";
import type { Candidate, Opinion } from "../driver/define";
import { copyCandidate } from "../driver/copies";
import { hasContraction, refusedMerge, walksRows } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { bytesOfWays, timeOf, weigh, workOf } from "./weigh";
import { namesOf, no } from "../driver/sentences";
import { forcing, overBudget, policyOnContraction, prologueVerdict } from "./profitability";

/** @param candidate an epilogue: a product and one reader of it */
export function deferToReaders(planner: Planner, candidate: Candidate): Opinion | null {
  const [product, reader] = candidate.remove as readonly [Region, Region];
  const merged = candidate.add[0]!;
  const read = planner.inputsOf(reader).filter((id) => product.outputs.includes(id));
  // What only the reader reads is gone once they are one kernel: then nothing is stored beside it.
  if (!read.every((id) => merged.outputs.includes(id)) || !mayWait(planner, product, reader)) return null;
  const later = planner.readersOf(reader.id).map((id) => planner.region(id));
  const copies = copyCandidate(planner, "into-readers", reader, later);
  if (copies.add.some((region) => !planner.kernelOf(region)) || refusedMerge(planner, copies)) return null;
  const refused =
    policyOnContraction(planner, copies) ?? prologueVerdict(planner, copies) ?? overBudget(planner, copies);
  if (refused) return null;
  const apart = workOf(planner, [product, reader, ...later]);
  const stored = workOf(planner, [merged, ...later]);
  const again = workOf(planner, [product, ...copies.add]);
  const weighed = weigh("time", [
    { what: "separate kernels", ...apart },
    { what: "stored by this kernel", ...stored },
    { what: "computed by its readers", ...again },
  ]);
  if (!weighed.alternatives[2]!.chosen || again.bytes >= stored.bytes) return null;
  const { graph } = planner;
  const [value, source] = [namesOf(graph, reader.outputs), namesOf(graph, read)];
  const users = namesOf(
    graph,
    later.flatMap(({ outputs }) => outputs),
  );
  const kernel = later.length === 1 ? `the later kernel of ${users} needs` : `the later kernels of ${users} need`;
  return no(
    "C_BEATEN",
    candidate.nodes,
    `Only ${kernel} ${value}. Recomputing it there from ${source} moves ${bytesOfWays(again, stored)} and takes ${timeOf(again, stored)}.`,
    {
      numbers: {
        bytesStored: stored.bytes,
        bytesAgain: again.bytes,
        microsStored: stored.micros,
        microsAgain: again.micros,
      },
      weighed,
      ...forcing(planner, candidate),
    },
  );
}

/** Element by element, no result of the program, and for kernels alone that can't be part of this one. */
function mayWait(planner: Planner, product: Region, reader: Region): boolean {
  if (walksRows(planner, reader) || hasContraction(planner, reader) || reader.outputs.some(planner.isOutput))
    return false;
  const later = planner.readersOf(reader.id);
  return (
    later.length > 0 &&
    later.every((id) => {
      const region = planner.region(id);
      return !planner.isView(region) && planner.order.returns([product.id, reader.id, id]).found;
    })
  );
}
