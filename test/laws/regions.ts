/** @file Questions about regions that laws ask without the passes' own bookkeeping. */
import { lowerRegion, type KernelProgram } from "../../src/fusion/kernel/code";
import { generic, targetOf } from "../../src/fusion/cost";
import type { Fusion, Graph, Region } from "../../src/fusion/ir";
import { classify, isFreeView, isViewRegion, storedInputs } from "../../src/fusion/kernel";

/** Null when one kernel (or a view) can compute the region. */
export function kernelOf(graph: Graph, region: Region): string | null {
  if (region.members.length === 0) return "has no members";
  if (isViewRegion(graph, region)) return null;
  if (region.outputs.length === 0) return "stores nothing";
  if (region.outputs.some((id) => isFreeView(graph.nodes.get(id)!))) return "stores a view";
  const answer = classify(graph, region.members, region.outputs);
  return answer.ok ? null : `${answer.verdict.code} ${answer.verdict.text}`;
}

/**
 * The most storage bindings that one kernel of the state has on a device with so many. What is stored is an upper bound; where that is
 * above the limit, the kernels are written and their buffers counted: they bind no input whose elements they don't read, and small
 * parameters as uniforms where they must.
 */
export function bindingsFor({ graph, regions }: Fusion, limit: number): number {
  const target = { ...targetOf(generic), maxBindings: limit };
  let most = 0;
  for (const region of regions.values()) {
    if (isViewRegion(graph, region)) continue;
    const stored = storedInputs(graph, region.members).length + region.outputs.length;
    most = Math.max(most, stored <= limit ? stored : boundBy(lowerRegion(graph, region, target)));
  }
  return most;
}

const boundBy = (programs: readonly KernelProgram[]): number =>
  Math.max(0, ...programs.map(({ buffers }) => buffers.filter(({ access }) => access !== "uniform").length));

/** Values in a row of the region; 1 where it has no reduction. */
export function columnsOf(graph: Graph, region: Region): number {
  const answer = classify(graph, region.members, region.outputs);
  return answer.ok ? answer.form.columns : 1;
}
