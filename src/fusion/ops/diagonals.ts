/** @file Diagonals of two axes: what diagonal and trace share. */
import { showShape, type Attrs, type NodeId, type TensorType } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { checkAxes, normalAxis, numberOf, wrong, type Failed } from "./shapes";

export const DIAGONAL_AXES: readonly Param[] = [
  {
    names: ["offset", "k", "diagonal"],
    kind: "int",
    default: 0,
    doc: "Which diagonal; positive ones are above the main one.",
  },
  { names: ["dim1", "axis1"], kind: "axis", default: 0, doc: "The axis of the rows." },
  { names: ["dim2", "axis2"], kind: "axis", default: 1, doc: "The axis of the columns." },
];

export function checkDiagonal(
  [x]: readonly (TensorType | null)[],
  attrs: Attrs,
  names: readonly string[],
): Failed | null {
  const { shape } = x!;
  if (shape.length < 2)
    return wrong("shape-mismatch", `${names[0]} is ${showShape(shape)}: a diagonal needs rows and columns.`);
  return checkAxes([numberOf(attrs["dim1"], 0), numberOf(attrs["dim2"], 1)], shape, names[0]!);
}

/** The diagonal as the last axis, as NumPy and PyTorch put it. */
export function buildDiagonal(b: GraphBuilder, x: NodeId, attrs: Attrs): NodeId {
  const { shape } = b.typeOf(x);
  const [first, second] = [
    normalAxis(numberOf(attrs["dim1"], 0), shape.length),
    normalAxis(numberOf(attrs["dim2"], 1), shape.length),
  ];
  const others = shape.flatMap((_, axis) => (axis === first || axis === second ? [] : [axis]));
  const [rows, columns, offset] = [shape[first]!, shape[second]!, numberOf(attrs["offset"], 0)];
  const count = Math.max(0, Math.min(rows + Math.min(0, offset), columns - Math.max(0, offset)));
  const start = offset < 0 ? -offset * columns : offset;
  const perm = [...others, first, second];
  const last = perm.every((axis, i) => axis === i) ? x : b.op("last", "transpose", [x], { perm, dim1: null });
  const flat = b.op("flat", "reshape", [last], { shape: [...others.map((axis) => shape[axis]!), rows * columns] });
  const stop = count === 0 ? start : start + (count - 1) * (columns + 1) + 1;
  return b.op("diagonal", "slice", [flat], {
    start: [start],
    stop: [stop],
    step: [columns + 1],
    axes: [others.length],
  });
}
