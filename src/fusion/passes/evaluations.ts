/** @file How often a merge would compute a value again, in words. */
import { node, sizeOf, type NodeId } from "../ir";
import { evaluationsOf } from "../cost";
import type { Candidate } from "./define";
import type { Planner } from "./planner";
import { inWords } from "./sentences";

/** `twice`, `16 times`; null when nothing is computed more often than before. */
export function evaluationWords(planner: Planner, candidate: Candidate): string | null {
  // Asked about a rewrite, what is to be replaced is out of the graph: then there is nothing to compare with.
  if (candidate.remove.some(({ members }) => members.some((id) => !planner.graph.nodes.has(id)))) return null;
  const before = total(planner, candidate.remove);
  const after = total(planner, candidate.add);
  let most = 1;
  for (const [id, times] of after) {
    if (candidate.nodes[0] !== id && candidate.nodes.length > 0) continue;
    most = Math.max(most, times / Math.max(1, before.get(id) ?? sizeOf(node(planner.graph, id).type.shape)));
  }
  const rounded = Math.round(most);
  return rounded < 2 ? null : rounded === 2 ? "twice" : `${inWords(rounded)} times`;
}

function total(planner: Planner, regions: Candidate["add"]): Map<NodeId, number> {
  const sum = new Map<NodeId, number>();
  for (const region of regions) {
    const { form, schedule } = planner.factsOf(region);
    for (const [id, times] of evaluationsOf(planner.graph, region, form, schedule))
      sum.set(id, (sum.get(id) ?? 0) + times);
  }
  return sum;
}
