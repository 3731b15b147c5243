import { sizeOf, type Node, type TensorType } from "../ir";
import { opDef } from "../ops";
import type { Round } from "./rounding";

/** Elements before, along and behind the axis that a row op walks: where each row begins and how far its neighbours are apart. */
export function rowsAlong({ shape }: TensorType, axis: number): { outer: number; extent: number; inner: number } {
  return { outer: sizeOf(shape.slice(0, axis)), extent: shape[axis]!, inner: sizeOf(shape.slice(axis + 1)) };
}

/** Values of a scan: one row after the other, in order, in f64; rounded as they are written. */
export function evaluateScan(node: Node, input: ArrayLike<number>, type: TensorType, round: Round): Float64Array {
  const { fold, axis, reverse, exclusive } = opDef(node.op).scan!;
  const { outer, extent, inner } = rowsAlong(type, axis(node.attrs, type.shape));
  const meaning = fold.reduce!;
  const [backwards, before, start] = [reverse(node.attrs), exclusive(node.attrs), meaning.identity(node.type.dtype)];
  const out = new Float64Array(input.length);
  for (let row = 0; row < outer * inner; row++) {
    const first = Math.floor(row / inner) * extent * inner + (row % inner);
    let total = start;
    for (let i = 0; i < extent; i++) {
      const at = first + (backwards ? extent - 1 - i : i) * inner;
      const upTo = i === 0 ? input[at]! : meaning.combine.js(total, input[at]!);
      out[at] = round(before ? total : upTo);
      total = upTo;
    }
  }
  return out;
}
