/** @file Whole numbers back to what they stand for. */
import { sizeOf } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";

/** A scale or a zero as it meets x: one for all, one for each place of an axis, or one for each block along it. */
function meeting(c: NodeContext, x: Value, given: Value, axis: number): Value {
  const { shape } = given.type;
  if (sizeOf(shape) === 1) return c.reshape(given, []);
  const extents = x.type.shape;
  if (shape.length === 1)
    return c.reshape(
      given,
      extents.map((extent, i) => (i === axis ? extent : 1)),
    );
  const wide = c.op("repeat_interleave", [given], { repeats: c.int("block_size", 1), axis });
  return c.op("slice", [wide], { start: [0], stop: [extents[axis] ?? 0], axes: [axis] });
}

/** (x − zero) · scale. Narrower whole numbers than i32 are refused where they come in. */
function dequantize(c: NodeContext): Value {
  const [x, scale, zero] = [c.in(0), c.in(1), c.maybe(2)];
  if (x.type.dtype !== "i32") return c.fail("dtype");
  const axis = c.axis(c.int("axis", 1), x.type.shape.length);
  const centred = zero ? c.op("sub", [x, meeting(c, x, zero, axis)]) : x;
  return c.op("mul", [c.cast(centred, scale.type.dtype), meeting(c, x, scale, axis)]);
}

export const dequantizeRules: Rules = { DequantizeLinear: dequantize };
