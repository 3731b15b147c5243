/** @file Sorted values or their indices, and what a workgroup has room for. */
import { showShape, type Attrs, type NodeId, type TensorType } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { checkAxes, normalAxis, numberOf, wrong, type Failed } from "./shapes";

export const RANK_AXIS: Param = { names: ["axis", "dim"], kind: "axis", default: -1, doc: "The axis that is ordered." };
/** PyTorch's `topk` may leave its results in any order; here they always stand in order. */
export const SORTED: Param = { names: ["sorted"], kind: "bool", default: true, doc: "They are in either case." };

export const DESCENDING: Param = {
  names: ["descending", "largest"],
  kind: "bool",
  default: false,
  doc: "Largest first.",
};

export const checkRanked = (
  [x]: readonly (TensorType | null)[],
  attrs: Attrs,
  names: readonly string[],
): Failed | null => checkAxes(numberOf(attrs["axis"], -1), x!.shape, names[0]!);

export function checkTop(
  inputs: readonly (TensorType | null)[],
  attrs: Attrs,
  names: readonly string[],
): Failed | null {
  const bad = checkRanked(inputs, attrs, names);
  if (bad) return bad;
  const { shape } = inputs[0]!;
  const [k, extent] = [numberOf(attrs["k"], 1), shape[normalAxis(numberOf(attrs["axis"], -1), shape.length)]!];
  if (Number.isInteger(k) && k >= 0 && k <= extent) return null;
  return wrong(
    "bad-attr",
    `${names[0]} is ${showShape(shape)}: the axis has ${extent} elements, and ${k} are asked for.`,
  );
}

/** Rows that a workgroup's memory holds whole, keys and indices. */
export const MAX_SORTED = 2048;
/** Of longer rows, so many of the first are found while the row goes by. */
export const MAX_SELECTED = 512;

/** Sorted values along the axis, or their indices; the first `count` of them. */
export function buildOrder(b: GraphBuilder, x: NodeId, attrs: Attrs, indices: boolean, count: number | null): NodeId {
  const axis = normalAxis(numberOf(attrs["axis"], -1), b.typeOf(x).shape.length);
  const descending = attrs["descending"] === true;
  return b.op("order", indices ? "sort_indices" : "sort_values", [x], { axis, descending, k: count });
}
