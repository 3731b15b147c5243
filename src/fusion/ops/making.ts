/** @file What makes a tensor of nothing but numbers in the text: one value on every place, or a rule of the index. */
import type { DType, NodeId, Shape } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { along } from "./places";

export const SIZES: Param = {
  names: ["shape", "size"],
  kind: "shape",
  variadic: true,
  doc: "Sizes of the result; an input is declared by its type instead, x: f32[4, 8].",
};

/** `value` on every place of `shape`. */
export const filledWith = (b: GraphBuilder, value: NodeId, shape: Shape): NodeId =>
  b.op("filled", "expand", [value], { shape });

/** A number of the text on every place of `shape`. */
export const constantOf = (b: GraphBuilder, value: number, shape: Shape, dtype: DType): NodeId =>
  filledWith(b, b.scalar(value, dtype), shape);

/** true on the diagonal `offset` of rows × columns. */
export function diagonalMask(b: GraphBuilder, rows: number, columns: number, offset: number): NodeId {
  const across = along(b, "column", columns, 1, 1, 2);
  const down = along(b, "row", rows, 1, 0, 2);
  const wanted = offset === 0 ? down : b.op("wanted", "add", [down, b.scalar(offset, "i32")]);
  return b.op("diagonal", "eq", [across, wanted]);
}
