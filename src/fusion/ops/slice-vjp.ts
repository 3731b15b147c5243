/** @file The derivative of slices: what they showed stands among zeros. */
import type { NodeId } from "../ir";
import type { DerivativeContext } from "./define";
import { sliceAxes } from "./indices";

/** Puts what a slice showed back where it stood, among zeros. */
export function sliceVjp({ inputs: [x], attrs, typeOf, of }: DerivativeContext, cotangent: NodeId): NodeId {
  const { shape } = typeOf(x!);
  const axes = sliceAxes(attrs, shape);
  if (axes.some(({ count }) => count === 0)) return of("expand", [0], { shape });
  const reversed = axes.flatMap(({ step }, axis) => (step < 0 ? [axis] : []));
  const first = axes.map(({ start, step, count }) => (step < 0 ? start + (count - 1) * step : start));
  const last = axes.map(({ step, count }, axis) => first[axis]! + (count - 1) * Math.abs(step));
  const straight = reversed.length === 0 ? cotangent : of("flip", [cotangent], { axes: reversed });
  const after = shape.map((extent, axis) => extent - 1 - last[axis]!);
  if (axes.every(({ step }) => Math.abs(step) === 1))
    return of("pad", [straight], { pads: shape.flatMap((_, i) => [first, after].map((side) => side.at(-1 - i)!)) });
  const spread = of("window", [straight], {
    kernel_size: axes.map(() => 1),
    interior: axes.map(({ step }) => Math.abs(step)),
    padding: [...first, ...after],
  });
  return of("reshape", [spread], { shape });
}
