import { sizeOf, type Node, type Shape, type TensorType } from "../ir";
import { opDef, type ArgCompare } from "../ops";
import type { Round } from "./rounding";
import { eachRow, mergedWalk, stridesIn } from "./strided-loops";

/** Shape of the result with the folded axes as 1. */
export const keepdimShape = (shape: Shape, axes: readonly number[]): Shape =>
  shape.map((extent, axis) => (axes.includes(axis) ? 1 : extent));

/** Values of a reduction: sequential sums in f64, the first element instead of the identity, which stands for ±∞ in shaders only. */
export function evaluateReduce(node: Node, input: ArrayLike<number>, type: TensorType, round: Round): Float64Array {
  const reduce = opDef(node.op).reduce!;
  const axes = reduce.axes(node.attrs, type.shape);
  const outShape = keepdimShape(type.shape, axes);
  const count = sizeOf(axes.map((axis) => type.shape[axis]!));
  if (reduce.arg) return evaluateArg(node, input, type.shape, axes, reduce.arg);
  const out = new Float64Array(sizeOf(outShape));
  const empty = count === 0;
  if (empty) out.fill(reduce.identity(node.type.dtype));
  const seen = new Uint8Array(out.length);
  const { combine, map, finish } = reduce;
  const walk = mergedWalk(type.shape, [stridesIn(type.shape, type.shape), stridesIn(outShape, type.shape)]);
  const extent = walk.extents.at(-1)!;
  const [step, outStep] = walk.strides.map((own) => own.at(-1)!) as [number, number];
  eachRow(walk, ([from, to]) => {
    for (let i = 0; i < extent; i++) {
      const at = to! + i * outStep;
      const element = input[from! + i * step]!;
      const value = map ? map.js(element) : element;
      out[at] = seen[at] === 1 ? combine.js(out[at]!, value) : value;
      seen[at] = 1;
    }
  });
  for (let i = 0; i < out.length; i++) out[i] = round(finish ? finish.js(out[i]!, count) : out[i]!);
  return out;
}

/** Position of the first best element, counted row-major over the folded axes. */
function evaluateArg(
  node: Node,
  input: ArrayLike<number>,
  shape: Shape,
  axes: readonly number[],
  rank: ArgCompare,
): Float64Array {
  const outShape = keepdimShape(shape, axes);
  const out = new Float64Array(sizeOf(node.type.shape));
  const best = new Float64Array(out.length);
  const seen = new Uint8Array(out.length);
  const folded = shape.map((extent, axis) => (axes.includes(axis) ? extent : 1));
  const own = stridesIn(shape, shape);
  const walk = mergedWalk(shape, [own, stridesIn(outShape, shape), stridesIn(folded, shape)]);
  const extent = walk.extents.at(-1)!;
  const [step, outStep, indexStep] = walk.strides.map((strides) => strides.at(-1)!) as [number, number, number];
  eachRow(walk, ([from, to, index]) => {
    for (let i = 0; i < extent; i++) {
      const at = to! + i * outStep;
      const value = input[from! + i * step]!;
      if (seen[at] === 1 && !rank.js(value, best[at]!)) continue;
      seen[at] = 1;
      best[at] = value;
      out[at] = index! + i * indexStep;
    }
  });
  return out;
}
