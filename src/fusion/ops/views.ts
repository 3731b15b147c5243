/** @file Views: movements whose result is another reading of the same memory, and what the whole is once a view is written. */
import { sizeOf, stridesOf, type Attrs, type DType, type NodeId, type Shape } from "../ir";
import type { GraphBuilder } from "./define";
import { permOf, sliceAxes } from "./indices";

const SAME_ELEMENTS: ReadonlySet<string> = new Set(["reshape", "flatten", "squeeze", "unsqueeze", "stop_gradient"]);

/** Whether the result of `op` is a view of its operand: so is what is converted to the dtype that it has. */
export const isView = (op: string, from: DType, to: DType): boolean =>
  SAME_ELEMENTS.has(op) || op === "slice" || op === "transpose" || (op === "cast" && from === to);

/** How far apart in memory neighbours along each axis are. */
export type Strides = readonly number[];

/** Strides of a view that the movement `op` gives of a tensor, and null where its elements are no view of that: they must be copied. */
export function stridesOfView(
  op: string,
  attrs: Attrs,
  { shape, strides }: { readonly shape: Shape; readonly strides: Strides },
  result: Shape,
): Strides | null {
  if (op === "slice") return sliceAxes(attrs, shape).map(({ step }, axis) => step * strides[axis]!);
  if (op === "transpose") return permOf(attrs, shape.length).map((axis) => strides[axis]!);
  return op === "cast" || op === "stop_gradient" ? strides : reshapedStrides(shape, strides, result);
}

/** Strides in another shape: axes that lie one inside the other in memory may be joined, and any axis may be split. */
function reshapedStrides(shape: Shape, strides: Strides, result: Shape): Strides | null {
  if (sizeOf(shape) <= 1) return stridesOf(result);
  const found: number[] = [];
  let left = result.length - 1;
  let [elements, made, inner] = [1, 1, strides.at(-1)!];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    elements *= shape[axis]!;
    const outer = axis === 0 ? null : strides[axis - 1]!;
    if (outer !== null && (shape[axis - 1] === 1 || outer === elements * inner)) continue;
    for (; left >= 0 && (made < elements || result[left] === 1); left--) {
      found[left] = made * inner;
      made *= result[left]!;
    }
    if (made !== elements) return null;
    if (outer !== null) [elements, made, inner] = [1, 1, outer];
  }
  return left < 0 ? found : null;
}

/** x, once `part` was written into the view of it that the movement `op` gives. */
export function throughView(b: GraphBuilder, x: NodeId, op: string, attrs: Attrs, part: NodeId): NodeId {
  const { shape } = b.typeOf(x);
  if (op === "slice") return withRegion(b, x, part, sliceAxes(attrs, shape));
  if (op !== "transpose") return b.op("whole", "reshape", [part], { shape });
  const perm = permOf(attrs, shape.length);
  return b.op("whole", "transpose", [part], { perm: perm.map((_, axis) => perm.indexOf(axis)) });
}

/** x with `region` where the ranges of `axes` point. One cut along one axis is put between what stays; others are chosen element by element. */
export function withRegion(b: GraphBuilder, x: NodeId, region: NodeId, axes: ReturnType<typeof sliceAxes>): NodeId {
  const { shape } = b.typeOf(x);
  const back = axes.flatMap(({ step }, axis) => (step < 0 ? [axis] : []));
  const ahead = axes.map(({ start, step, count }) =>
    step < 0 ? { start: start + step * (count - 1), step: -step, count } : { start, step, count },
  );
  const put = back.length === 0 ? region : b.op("ahead", "flip", [region], { axes: back });
  const cut = ahead.flatMap(({ count }, axis) => (count === shape[axis] ? [] : [axis]));
  if (cut.length === 0) return put;
  const [axis] = cut as [number];
  if (cut.length > 1 || ahead[axis]!.step !== 1) return chosen(b, x, put, ahead, cut);
  const { start, count } = ahead[axis]!;
  const piece = (part: string, from: number, to: number): NodeId[] =>
    from === to ? [] : [b.op(part, "slice", [x], { start: [from], stop: [to], step: [1], axes: [axis] })];
  const pieces = [...piece("before", 0, start), put, ...piece("after", start + count, shape[axis]!)];
  return b.op("set", "concat", pieces, { axis });
}

/** x, and the region's value at the indices that every cut axis names. */
function chosen(
  b: GraphBuilder,
  x: NodeId,
  region: NodeId,
  axes: ReturnType<typeof sliceAxes>,
  cut: readonly number[],
): NodeId {
  const { shape } = b.typeOf(x);
  const padding = [
    axes.map(({ start }) => start),
    axes.map(({ start, step, count }, axis) => shape[axis]! - 1 - start - (count - 1) * step),
  ].flat();
  const window = { kernel_size: axes.map(() => 1), interior: axes.map(({ step }) => step), padding };
  const padded = b.op("placed", "reshape", [b.op("window", "window", [region], window)], { shape });
  const tests = cut.flatMap((axis) => {
    const { start, step, count } = axes[axis]!;
    const lane = shape.map((extent, i) => (i === axis ? extent : 1));
    const number = b.op(
      "number",
      "reshape",
      [b.op("numbers", "iota", [], { start: 0, stop: shape[axis]!, step: 1, dtype: "i32" })],
      { shape: lane },
    );
    const from = b.op("from", "sub", [number, b.scalar(start, "i32")]);
    const inside = [
      b.op("after", "ge", [from, b.scalar(0, "i32")]),
      b.op("before", "lt", [from, b.scalar((count - 1) * step + 1, "i32")]),
    ];
    if (step === 1) return inside;
    return [...inside, b.op("hit", "eq", [b.op("rest", "mod", [from, b.scalar(step, "i32")]), b.scalar(0, "i32")])];
  });
  const mask = tests.reduce((all, test) => b.op("inside", "and", [all, test]));
  return b.op("set", "where", [mask, padded, x]);
}
