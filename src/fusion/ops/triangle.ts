/** @file What tril and triu share: a mask from two ranges of indices. */
import { showShape, type Attrs, type NodeId, type TensorType } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { wrong, type Failed } from "./shapes";

export const DIAGONAL: Param = {
  names: ["diagonal", "k"],
  kind: "int",
  default: 0,
  doc: "Which diagonal; positive ones are above the main one.",
};

export const checkTriangle = (
  [x]: readonly (TensorType | null)[],
  _attrs: Attrs,
  names: readonly string[],
): Failed | null =>
  x!.shape.length >= 2
    ? null
    : wrong("shape-mismatch", `${names[0]} is ${showShape(x!.shape)}: a triangle needs rows and columns.`);

/** where(column ⋚ row + diagonal, x, 0) */
export function buildTriangle(b: GraphBuilder, x: NodeId, holds: "le" | "ge", diagonal: number): NodeId {
  const { dtype, shape } = b.typeOf(x);
  const [rows, columns] = [shape.at(-2)!, shape.at(-1)!];
  const range = (part: string, start: number, stop: number) =>
    b.op(part, "iota", [], { start, stop, step: 1, dtype: "i32" });
  const row = b.op("row", "unsqueeze", [range("rows", diagonal, rows + diagonal)], { axes: [1] });
  const inside = b.op("kept", holds, [range("columns", 0, columns), row]);
  return b.op("triangle", "where", [inside, x, b.scalar(0, dtype)]);
}
