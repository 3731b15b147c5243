/**
 * @file Rows of a matmul that no tile holds, with what folds them, in one kernel: each tile is folded while it is in registers, elements
 * that need nothing else are stored as they pass, and those that need whole rows are computed in a second walk over the operands.
 */
import { node, type NodeId, type Region, type RegionId, sizeOf, type Verdict } from "../../ir";
import type { RegionForm } from "../../kernel";
import type { Answer, Candidate, FusionPass } from "../driver/define";
import {
  costOf,
  edgesBetween,
  hasContraction,
  legalMerge,
  mergeCandidate,
  nodesOf,
  patchOf,
  walksRows,
} from "../driver/merge";
import type { Planner } from "../driver/planner";
import { nameOf, namesOf, yes } from "../driver/sentences";
import { onlineProfitability } from "../profitability/online-profitability";
import { policyOnContraction } from "../profitability/profitability";
import { titled } from "../catalogue";

export const matmulRows: FusionPass = {
  ...titled("matmul-rows"),
  *match(planner) {
    for (const id of planner.inOrder()) yield* withReaders(planner, id);
  },
  legal(planner, candidate) {
    const verdict = legalMerge(planner, candidate, true);
    return verdict.ok ? explained(planner, candidate) : verdict;
  },
  cost: costOf,
  profitability(planner, candidate, delta) {
    const [own, reader] = candidate.remove as [Region, Region];
    const rows = namesOf(planner.graph, own.outputs);
    const results = namesOf(
      planner.graph,
      candidate.nodes.filter((id) => reader.members.includes(id)),
    );
    const doing = `Keeping the rows of ${rows} in one kernel with ${results}`;
    return policyOnContraction(planner, candidate) ?? onlineProfitability(planner, candidate, delta, doing);
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

/** A matmul's kernel and each of those that fold its rows, as long as one kernel can compute both. */
function* withReaders(planner: Planner, id: RegionId): Generator<Candidate, void, Answer> {
  const product = planner.regions.get(id);
  if (!product || planner.isView(product) || !hasContraction(planner, product)) return;
  for (const from of planner.readersOf(id)) {
    const [own, reader] = [planner.regions.get(id), planner.regions.get(from)];
    if (!own || !reader || planner.isView(reader)) continue;
    if (hasContraction(planner, reader) || !walksRows(planner, reader)) continue;
    const edges = edgesBetween(planner, own, reader);
    const candidate = mergeCandidate(planner, "rows-of-matmul", [own, reader], {
      edges,
      nodes: nodesOf(edges, own),
      id,
    });
    const [both] = candidate.add as [Region];
    const facts = planner.kernelOf(both);
    // Rows that are only folded, and what else may share a kernel, have been asked about before.
    if (facts?.form?.template !== "contract-reduce") continue;
    if (elementsOf(planner, both, facts.form).length > 0) yield candidate;
  }
}

/** What is stored element by element. */
const elementsOf = ({ graph }: Planner, { outputs }: Region, { rows, columns }: RegionForm): NodeId[] =>
  outputs.filter((id) => sizeOf(node(graph, id).type.shape) === rows * columns);

function explained(planner: Planner, { nodes, add }: Candidate): Verdict {
  const { graph } = planner;
  const [both] = add as [Region];
  const { form, schedule } = planner.factsOf(both);
  const { contraction, rows, columns } = form!;
  const product = nameOf(graph, contraction!);
  const walked = `Each tile of ${product} is folded while it is in registers`;
  const stored = namesOf(graph, elementsOf(planner, both, form!));
  const text = schedule.again
    ? `${walked}; when its rows are known, the workgroup computes ${product} once more and stores ${stored}. Nothing else of ${rows}×${columns} values is stored.`
    : `${walked}, and ${stored} is stored as it passes.`;
  return yes("A_PATTERN", nodes, text);
}
