/** @file The derivative of loads from indices that are data: sums at those indices. */
import { sizeOf, type NodeId } from "../ir";
import type { DerivativeContext } from "./define";
import { normalAxis, numberOf } from "./shapes";

/** Every element gets the sum of what was read from it. */
export function gatherVjp(
  { inputs: [x, index], attrs, typeOf, of }: DerivativeContext,
  cotangent: NodeId,
  operand: number,
): NodeId | null {
  if (operand === 1) return null;
  const { shape } = typeOf(x!);
  const axis = normalAxis(numberOf(attrs["axis"], 0), shape.length);
  const count = sizeOf(typeOf(index!).shape);
  const rows = shape.map((extent, i) => (i === axis ? count : extent));
  const inside = of("clamp", [of("reshape", [index!], { shape: shape.map((_, i) => (i === axis ? count : 1)) })], {
    min: 0,
    max: shape[axis]! - 1,
  });
  const indices = of("expand", [inside], { shape: rows });
  return of("scatter_add", [of("expand", [0], { shape }), indices, of("reshape", [cotangent], { shape: rows })], {
    axis,
  });
}
