/** @file What rows are asked for, whatever walks them: what each pass begins with, what later passes need again, what is stored across. */
import { dtypeBytes, type Graph, isLiteral, node, type NodeId, type Shape, sizeOf, stridesOf } from "../../../../ir";
import { wholeOutput, type RowAnalysis } from "../classify-rows";
import { neighbours, pointsInStep, wasteOf } from "../../../count/reads";
import { isOrder } from "./row-ops";
import type { PassRoot } from "./row-loads";
import type { Body } from "../../../schedule/schedule-parts";
import { pointAfter } from "../../../indices/row-layout";
import type { RegionForm, RegionRead } from "../../../types";

/** Outputs in which neighbours of the loop lie further apart than one element, and leave gaps that no other store fills. */
export function stridedWrites(
  graph: Graph,
  form: RegionForm,
  roots: readonly PassRoot[],
  along: "columns" | "rows",
): NodeId[] {
  const axis = form.space.findLastIndex(
    (extent, i) => extent > 1 && form.reducedAxes.includes(i) === (along === "columns"),
  );
  const pair = neighbours(form.space, axis);
  return roots.flatMap(({ id, layout }) => {
    if (layout.length === 0 || !pair) return [];
    const strides = stridesOf(node(graph, id).type.shape);
    const offsetOf = (at: readonly number[]): number =>
      pointAfter(layout, at).reduce((sum, value, i) => sum + value * strides[i]!, 0);
    const [from, to] = pair.map(offsetOf);
    if (to! - from! === 1) return [];
    // What several stores fill together is as good as in order.
    const offsets = pointsInStep(form.space, form, along).map(offsetOf);
    return wasteOf(offsets, dtypeBytes(node(graph, id).type.dtype)) === 1 ? [] : [id];
  });
}

export const withRereads = (reads: readonly RegionRead[], passes: ReadonlyMap<NodeId, number>): RegionRead[] =>
  reads.map((read) => ({ ...read, rereads: Math.max(0, (passes.get(read.value) ?? 1) - 1) }));

/** What each pass over the row asks for: operands of its reductions, and the full-size outputs known by then. */
export function passRoots(graph: Graph, region: Body, form: RegionForm, analysis: RowAnalysis): PassRoot[] {
  const outputs = region.outputs.flatMap((id): PassRoot[] => {
    const lie = wholeOutput(graph, analysis, id);
    return lie ? [{ id, stage: analysis.roles.get(id)!.stage, layout: lie.steps }] : [];
  });
  return [
    ...[...form.reductions, ...form.orders].map(({ node: id, stage }) => ({
      id: node(graph, id).inputs[0]!,
      stage,
      layout: [],
    })),
    ...form.columnFolds.map((id) => ({
      id: node(graph, id).inputs[0]!,
      stage: analysis.roles.get(id)!.stage,
      layout: [],
    })),
    ...outputs,
  ];
}

/** Values that one pass makes and a later one needs, and inputs that several passes load. */
export function cachedValues(graph: Graph, region: Body, form: RegionForm, { roles }: RowAnalysis): NodeId[] {
  const needed = new Map<NodeId, Set<number>>();
  const reduces = new Map([...form.reductions, ...form.orders].map(({ node: id, stage }) => [id, stage]));
  for (const id of region.members) {
    const n = node(graph, id);
    const stage = reduces.get(id) ?? roles.get(id)!.stage;
    for (const input of n.inputs) needed.set(input, (needed.get(input) ?? new Set()).add(stage));
  }
  const varies = (shape: Shape): boolean => {
    const skip = form.space.length - shape.length;
    const fits = skip >= 0 && shape.every((extent, axis) => extent === 1 || extent === form.space[skip + axis]);
    // Of a value in another shape only a scalar is surely the same along the row.
    return fits ? form.reducedAxes.some((axis) => (shape[axis - skip] ?? 1) > 1) : sizeOf(shape) > 1;
  };
  return [...needed].flatMap(([id, stages]) => {
    const own = roles.get(id);
    if (
      (own && isOrder(node(graph, id))) ||
      isLiteral(node(graph, id)) ||
      own?.role === "row" ||
      !varies(node(graph, id).type.shape)
    )
      return [];
    const later = own ? Math.max(...stages) > own.stage : stages.size > 1;
    return later ? [id] : [];
  });
}
