/** @file What var and std share. */
import { sizeOf, type Attrs, type NodeId } from "../ir";
import { along } from "./compose";
import type { GraphBuilder, Param } from "./define";
import { isAbsent } from "./indices";
import { axesOf, numberOf } from "./shapes";

/** PyTorch's correction is 1 unless stated; `unbiased=False` and NumPy's `ddof=0` make it 0. */
export const CORRECTION: Param = {
  names: ["correction", "ddof"],
  kind: "float",
  default: null,
  doc: "Taken from n in the divisor; 1 when left out.",
};
export const UNBIASED: Param = { names: ["unbiased"], kind: "bool", default: true, doc: "False: divide by n." };

const correctionOf = (attrs: Attrs): number =>
  isAbsent(attrs["correction"]) ? (attrs["unbiased"] === false ? 0 : 1) : numberOf(attrs["correction"], 1);

/** mean, sub, square, mean; with a correction the last mean is a sum and a division. */
export function buildVariance(b: GraphBuilder, x: NodeId, attrs: Attrs, keepdims: boolean): NodeId {
  const { shape } = b.typeOf(x);
  const axes = attrs["axes"] ?? null;
  const count = sizeOf(axesOf(axes, shape.length).map((axis) => shape[axis]!));
  const mean = b.op("mean", "mean", [x], along(axes));
  const centre = b.op("centre", "sub", [x, mean]);
  const square = b.op("square", "square", [centre]);
  const correction = correctionOf(attrs);
  if (correction === 0) return b.op("variance", "mean", [square], { axes, keepdims });
  const sum = b.op("sum", "sum", [square], { axes, keepdims });
  return b.op("variance", "div", [sum, b.scalar(Math.max(0, count - correction))]);
}
