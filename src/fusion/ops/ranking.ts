/** @file Values or places in order: by a sort in workgroup memory where the row, or the part of it that is wanted, has room there; by counting elsewhere. */
import { showShape, type Attrs, type NodeId, type TensorType } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { along } from "./places";
import { checkAxes, normalAxis, numberOf, wrong, type Failed } from "./shapes";

export const RANK_AXIS: Param = { names: ["axis", "dim"], kind: "axis", default: -1, doc: "The axis that is ordered." };
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

/** How many elements along `axis` come before each: smaller (or larger) ones, and equal ones that stand earlier. */
function buildRank(b: GraphBuilder, x: NodeId, axis: number, descending: boolean): NodeId {
  const { shape } = b.typeOf(x);
  const [extent, rank] = [shape[axis]!, shape.length + 1];
  const own = b.op("own", "unsqueeze", [x], { axes: [axis + 1] });
  const other = b.op("other", "unsqueeze", [x], { axes: [axis] });
  const ahead = b.op("ahead", descending ? "gt" : "lt", [other, own]);
  const equal = b.op("equal", "eq", [other, own]);
  const earlier = b.op("earlier", "lt", [along(b, "others", extent, 1, axis + 1, rank), along(b, "places", extent, 1, axis, rank)]); // prettier-ignore
  const before = b.op("before", "or", [ahead, b.op("tied", "and", [equal, earlier])]);
  return b.op("rank", "sum", [before], { axes: [axis + 1], keepdims: false });
}

/** The element (or its place, when `x` is null) whose rank is 0, 1 … count − 1. */
function buildRanked(b: GraphBuilder, rank: NodeId, x: NodeId | null, axis: number, count: number): NodeId {
  const { shape } = b.typeOf(rank);
  const total = shape.length + 1;
  const wanted = along(b, "wanted", count, 1, axis, total);
  const ranks = b.op("ranks", "unsqueeze", [rank], { axes: [axis] });
  const here = b.op("here", "eq", [ranks, wanted]);
  const values = x === null ? along(b, "sources", shape[axis]!, 1, axis + 1, total) : b.op("values", "unsqueeze", [x], { axes: [axis] }); // prettier-ignore
  const { dtype } = b.typeOf(values);
  const zero = b.scalar(0, dtype === "bool" ? "i32" : dtype);
  const picked = b.op("picked", "where", [here, values, zero]);
  return b.op("ordered", "sum", [picked], { axes: [axis + 1], keepdims: false });
}

/** Rows that a workgroup's memory holds whole, keys and places. */
export const LONGEST_SORTED = 2048;
/** Of longer rows, so many of the first are found while the row goes by. */
export const MOST_SELECTED = 512;

/**
 * Values or places in order along the axis; the first `count` of them. Longer orders of long rows are counted: an element's rank is
 * how many stand before it, n² comparisons.
 */
export function buildOrder(b: GraphBuilder, x: NodeId, attrs: Attrs, places: boolean, count: number | null): NodeId {
  const { shape } = b.typeOf(x);
  const axis = normalAxis(numberOf(attrs["axis"], -1), shape.length);
  const descending = attrs["descending"] === true;
  if (shape[axis]! <= LONGEST_SORTED || (count !== null && count <= MOST_SELECTED))
    return b.op("order", places ? "places_in_order" : "in_order", [x], { axis, descending, k: count });
  const rank = buildRank(b, x, axis, descending);
  return buildRanked(b, rank, places ? null : x, axis, count ?? shape[axis]!);
}
