/** @file The derivative of loads from places that are data: sums at those places. */
import { sizeOf, type NodeId } from "../ir";
import type { Tape } from "./define";
import { normalAxis, numberOf } from "./shapes";

/** Every place gets the sum of what was read from it. */
export function placesBack(
  { inputs: [x, index], attrs, typeOf, of }: Tape,
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
  const places = of("expand", [inside], { shape: rows });
  return of("scatter_add", [of("expand", [0], { shape }), places, of("reshape", [cotangent], { shape: rows })], {
    axis,
  });
}
