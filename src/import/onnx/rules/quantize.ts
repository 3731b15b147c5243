/** @file Real numbers as whole ones, and back: linear quantisation, and products of what is quantised. */
import { sizeOf } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { rangeOf, type WholeKind } from "../whole-kinds";
import { toKind } from "../whole-numbers";
import { range } from "./arithmetic";
import { conv } from "./window";

/** A scale or a zero as it meets x: one for all, one for each index along an axis, or one for each block along it. */
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

/** A quantised number as an i32: differences of such numbers need not be of their kind. */
function plain(value: Value): Value {
  const { whole: _, ...rest } = value;
  return rest;
}

/** x − zero, as i32. */
const centred = (c: NodeContext, x: Value, zero: Value | null, axis: number): Value =>
  zero ? c.op("sub", [plain(x), plain(meeting(c, x, zero, axis))]) : plain(x);

/** (x − zero) · scale. */
function dequantize(c: NodeContext): Value {
  c.implied("block_size", "output_dtype");
  const [x, scale, zero] = [c.in(0), c.in(1), c.maybe(2)];
  if (x.type.dtype !== "i32") return c.fail("dtype");
  const axis = c.axis(c.int("axis", 1), x.type.shape.length);
  return c.op("mul", [c.cast(centred(c, x, zero, axis), scale.type.dtype), meeting(c, x, scale, axis)]);
}

/** round(x) + zero, at the ends of its kind where it lies outside. */
function saturated(c: NodeContext, scaled: Value, zero: Value | null, kind: WholeKind): Value {
  const { dtype } = scaled.type;
  const [low, high] = rangeOf(kind);
  const rounded = c.op("round", [scaled]);
  const moved = zero ? c.op("add", [rounded, c.cast(plain(zero), dtype)]) : rounded;
  return toKind(c.emit, c.hint, c.op("clamp", [moved], { min: low, max: high }), kind);
}

/** What a zero point or an attribute says the result is; u8 where neither does. */
const kindOf = (c: NodeContext, zero: Value | null): WholeKind | null =>
  zero ? (zero.whole ?? null) : (c.wholeOf(c.int("output_dtype", 0) || 2) ?? null);

function quantize(c: NodeContext): Value {
  c.implied("block_size", "output_dtype");
  const [x, scale, zero] = [c.in(0), c.in(1), c.maybe(2)];
  const axis = c.axis(c.int("axis", 1), x.type.shape.length);
  const kind = kindOf(c, zero);
  if (!kind) return c.fail("dtype");
  const scaled = c.op("div", [x, c.cast(meeting(c, x, scale, axis), x.type.dtype)]);
  return saturated(c, scaled, zero && meeting(c, x, zero, axis), kind);
}

/** Scale and zero point from the data: its range, with 0 in it, is spread over u8. */
function dynamicQuantize(c: NodeContext): readonly Value[] {
  const x = c.in(0);
  const { dtype, shape } = x.type;
  const [zero, most] = [c.emit.scalar(0, dtype), c.emit.scalar(255, dtype)];
  const all = { axes: range(shape.length), keepdims: false };
  const low = c.op("minimum", [c.op("min", [x], all), zero]);
  const high = c.op("maximum", [c.op("max", [x], all), zero]);
  const scale = c.op("div", [c.op("sub", [high, low]), most]);
  const start = saturated(c, c.op("div", [c.op("neg", [low]), scale]), null, "u8");
  return [saturated(c, c.op("div", [x, scale]), start, "u8"), scale, start];
}

/** A zero for each row of the left operand stands along its last axis but one; for each column of the right, along its last. */
const leftZero = (c: NodeContext, x: Value, zero: Value | null): Value =>
  centred(c, x, zero, Math.max(0, x.type.shape.length - 2));
const rightZero = (c: NodeContext, x: Value, zero: Value | null): Value => centred(c, x, zero, x.type.shape.length - 1);

const matmulInteger = (c: NodeContext): Value =>
  c.op("matmul", [leftZero(c, c.in(0), c.maybe(2)), rightZero(c, c.in(1), c.maybe(3))]);

/** Operands in the order x, its scale, its zero, w, its scale, its zero, the result's scale and zero. */
function requantized(c: NodeContext, product: Value, axis: number): Value {
  const [a, b, y, zero] = [c.in(1), c.in(4), c.in(6), c.in(7)];
  if (!zero.whole) return c.fail("dtype");
  const scale = c.op("div", [c.op("mul", [meeting(c, product, a, axis - 1), meeting(c, product, b, axis)]), y]);
  const real = c.op("mul", [c.cast(product, "f32"), scale]);
  return saturated(c, real, meeting(c, product, zero, axis), zero.whole);
}

function qlinearMatmul(c: NodeContext): Value {
  const product = c.op("matmul", [leftZero(c, c.in(0), c.maybe(2)), rightZero(c, c.in(3), c.maybe(5))]);
  return requantized(c, product, product.type.shape.length - 1);
}

/** A convolution of whole numbers; each filter has a zero of its own, or all have one. */
function wholeConv(c: NodeContext, zeroOfX: Value | null, w: Value, zeroOfW: Value | null, bias: Value | null): Value {
  const x = c.withInput(0, centred(c, c.in(0), zeroOfX, 1));
  return conv(x.withInput(1, centred(c, w, zeroOfW, 0)).withInput(2, bias));
}
const convInteger = (c: NodeContext): Value => wholeConv(c, c.maybe(2), c.in(1), c.maybe(3), null);
const qlinearConv = (c: NodeContext): Value =>
  requantized(c, wholeConv(c, c.maybe(2), c.in(3), c.maybe(5), c.maybe(8)), 1);

export const quantizeRules: Rules = {
  DequantizeLinear: dequantize,
  QuantizeLinear: quantize,
  DynamicQuantizeLinear: dynamicQuantize,
  MatMulInteger: matmulInteger,
  ConvInteger: convInteger,
  QLinearMatMul: qlinearMatmul,
  QLinearConv: qlinearConv,
};
