/** @file A value that only later kernels ask for need not be stored by the product it comes from: where computing it there again moves less, it is left to them. */
import type { Region, Verdict } from "../ir";
import { isRefusal, type RegionFacts } from "../cost";
import type { Candidate } from "./define";
import { copyCandidate, hasContraction, legalMerge, walksRows } from "./merge";
import type { Planner } from "./planner";
import { nameOf, namesOf, no, showBytes, showMicros } from "./sentences";
import { overBudget, policyOnContraction, prologueVerdict } from "./profitability";

interface Account {
  readonly micros: number;
  readonly bytes: number;
}

/** @param candidate an epilogue: a product and one reader of it */
export function deferToReaders(planner: Planner, candidate: Candidate): Verdict | null {
  const [product, reader] = candidate.remove as readonly [Region, Region];
  const merged = candidate.add[0]!;
  const read = planner.inputsOf(reader).filter((id) => product.outputs.includes(id));
  // What only the reader reads is gone once they are one kernel: then nothing is stored beside it.
  if (!read.every((id) => merged.outputs.includes(id)) || !mayWait(planner, product, reader)) return null;
  const later = planner.readersOf(reader.id).map((id) => planner.region(id));
  const copies = copyCandidate(planner, "into-readers", reader, later);
  if (copies.add.some((region) => isRefusal(planner.facts(region))) || !legalMerge(planner, copies).ok) return null;
  const refused =
    policyOnContraction(planner, copies) ?? prologueVerdict(planner, copies) ?? overBudget(planner, copies);
  if (refused) return null;
  const stored = accountOf(planner, [merged, ...later]);
  const again = accountOf(planner, [product, ...copies.add]);
  if (again.micros >= stored.micros || again.bytes >= stored.bytes) return null;
  const { graph } = planner;
  const [value, source] = [namesOf(graph, reader.outputs), namesOf(graph, read)];
  const users = namesOf(
    graph,
    later.flatMap(({ outputs }) => outputs),
  );
  return no(
    "C_BEATEN",
    candidate.nodes,
    `${nameOf(graph, read[0]!)} is stored in any case, and ${value} is first asked for by ${users}, in a later kernel. Computing it there from ${source} moves ${showBytes(stored.bytes - again.bytes)} less than storing it here: ${showMicros(again.micros)} instead of ${showMicros(stored.micros)}.`,
    {
      numbers: {
        bytesStored: stored.bytes,
        bytesAgain: again.bytes,
        microsStored: stored.micros,
        microsAgain: again.micros,
      },
      remedy: "Fuse anyway on this edge to see it stored.",
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

function accountOf(planner: Planner, regions: readonly Region[]): Account {
  const facts: readonly RegionFacts[] = regions.map((region) => planner.factsOf(region));
  return {
    micros: facts.reduce((sum, { time }) => sum + time.micros, 0),
    bytes: facts.reduce((sum, { traffic }) => sum + traffic.bytes, 0),
  };
}
