/** @file Questions about regions that laws ask without the passes' own bookkeeping. */
import type { Fusion, Graph, Region } from "../../src/fusion/ir";
import { generic, targetOf } from "../../src/fusion/cost";
import { classify, isFreeView, isViewRegion, scheduleRegion, storedInputs, uniformsOf } from "../../src/fusion/region";

/** Null when one kernel (or a view) can compute the region. */
export function kernelOf(graph: Graph, region: Region): string | null {
  if (region.members.length === 0) return "has no members";
  if (isViewRegion(graph, region)) return null;
  if (region.outputs.length === 0) return "stores nothing";
  if (region.outputs.some((id) => isFreeView(graph.nodes.get(id)!))) return "stores a view";
  const answer = classify(graph, region.members, region.outputs);
  return answer.ok ? null : `${answer.verdict.code} ${answer.verdict.text}`;
}

/** The most storage bindings that one kernel of the state has on a device with so many: small parameters are uniforms where they must be. */
export function bindingsFor({ graph, regions }: Fusion, limit: number): number {
  let most = 0;
  for (const region of regions.values()) {
    if (isViewRegion(graph, region)) continue;
    const answer = classify(graph, region.members, region.outputs);
    const schedule = answer.ok ? scheduleRegion(graph, region, answer.form, targetOf(generic)) : null;
    // Results without elements are not written by a kernel.
    if (schedule?.variant === "view") continue;
    const { inPlace = [] } = schedule ?? {};
    const over = new Set(inPlace.map(({ input }) => input));
    const reads = storedInputs(graph, region.members).filter((id) => !over.has(id));
    const bound = reads.length + region.outputs.length;
    most = Math.max(most, bound - uniformsOf(graph, reads, bound, limit).size);
  }
  return most;
}

/** Values in a row of the region; 1 where it has no reduction. */
export function columnsOf(graph: Graph, region: Region): number {
  const answer = classify(graph, region.members, region.outputs);
  return answer.ok ? answer.form.columns : 1;
}
