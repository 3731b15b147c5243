/** @file (Σ |x|ᵖ)^(1/p) for any p: what norm and normalize share. */
import type { Attrs, NodeId } from "../ir";
import type { GraphBuilder } from "./define";

/** @param fold axes and keepdims */
export function buildNorm(b: GraphBuilder, x: NodeId, p: number, fold: Attrs): NodeId {
  if (p === 1 || p === 2) return b.op("norm", p === 1 ? "l1_norm" : "l2_norm", [x], fold);
  if (p === 0)
    return b.op(
      "norm",
      "sum",
      [b.op("there", "cast", [b.op("apart", "ne", [x, b.scalar(0, b.typeOf(x).dtype)])], { dtype: "f32" })],
      fold,
    );
  const size = b.op("size", "abs", [x]);
  if (!Number.isFinite(p)) return b.op("norm", p > 0 ? "max" : "min", [size], fold);
  const { dtype } = b.typeOf(size);
  const sum = b.op("sum", "sum", [b.op("power", "pow", [size, b.scalar(p, dtype)])], fold);
  return b.op("norm", "pow", [sum, b.scalar(1 / p, b.typeOf(sum).dtype)]);
}
