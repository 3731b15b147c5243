/** @file Ops that draw numbers. No generator is stated by ONNX: seeds give the same numbers here each time, not those of another runtime. */
import type { DType, Shape } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";

/** The seed that the node states, or one that no other node without a seed has. */
export function seedOf(c: NodeContext): number {
  const draws = ++c.emit.draws;
  return Math.floor(Math.abs(c.float("seed", draws))) >>> 0;
}

/** Training passes on what is drawn, with its mask of 1 and 0; inference everything. The ratio is operand `at`, the mode the one behind. */
function dropped(c: NodeContext, x: Value, at: number): { readonly y: Value; readonly mask: () => Value } {
  const share = c.maybe(at) ? (c.known(at, "ratio")[0] ?? 0.5) : 0.5;
  const training = c.maybe(at + 1) ? (c.known(at + 1, "training mode")[0] ?? 0) : 0;
  const ones = (): Value => c.filled(1, x.type.shape, "f32");
  if (!training || share <= 0) return { y: x, mask: ones };
  const attrs = { p: share, seed: seedOf(c), training: true };
  return { y: c.op("dropout", [x], attrs), mask: () => c.op("dropout", [ones()], attrs) };
}

/** The first result, and the mask where it is asked for. */
function withMask(c: NodeContext, y: Value, mask: () => Value): readonly Value[] {
  return (c.node.outputs[1] ?? "") === "" ? [y] : [y, mask()];
}
const above = (c: NodeContext, mask: Value): Value => c.op("gt", [mask, c.emit.scalar(0)]);

/** Before opset 12 dropout has no training mode, and its mask says nothing. */
function dropout(c: NodeContext): readonly Value[] {
  c.implied("ratio");
  const x = c.in(0);
  if (c.opset < 12) return withMask(c, x, () => c.filled(0, x.type.shape, c.opset >= 10 ? "bool" : x.type.dtype));
  const { y, mask } = dropped(c, x, 1);
  return withMask(c, y, () => above(c, mask()));
}

function biasDropout(c: NodeContext): readonly Value[] {
  const { y, mask } = dropped(c, c.op("add", [c.in(0), c.in(1)]), 3);
  const residual = c.maybe(2);
  return withMask(c, residual ? c.op("add", [y, residual]) : y, () => above(c, mask()));
}

const uniform = (c: NodeContext, shape: Shape, low: number, high: number): Value =>
  c.emit.drawn(c.hint, shape, `uniform(${low}, ${high}, seed=${seedOf(c)})`);

/** Shape and type of what is drawn: those that the node states, those of its operand otherwise. */
function asked(c: NodeContext): { readonly shape: Shape; readonly dtype: DType } {
  const like = c.maybe(0)?.type;
  const stated = c.maybeInt("dtype");
  return {
    shape: c.ints("shape") ?? like?.shape ?? [],
    dtype: stated === null ? (like?.dtype ?? "f32") : c.dtypeOf(stated),
  };
}

function randomUniform(c: NodeContext): Value {
  const { shape, dtype } = asked(c);
  return c.cast(uniform(c, shape, c.float("low", 0), c.float("high", 1)), dtype);
}

function randomNormal(c: NodeContext): Value {
  const { shape, dtype } = asked(c);
  const [mean, scale] = [c.float("mean", 0), c.float("scale", 1)];
  const standard = c.emit.drawn(c.hint, shape, `randn(seed=${seedOf(c)})`);
  const scaled = scale === 1 ? standard : c.op("mul", [standard, c.emit.scalar(scale)]);
  return c.cast(mean === 0 ? scaled : c.op("add", [scaled, c.emit.scalar(mean)]), dtype);
}

/** 1 as often as the operand says. */
function bernoulli(c: NodeContext): Value {
  const { dtype } = asked(c);
  const share = c.cast(c.in(0), "f32");
  return c.cast(c.op("lt", [uniform(c, share.type.shape, 0, 1), share]), dtype);
}

/** The largest of log-probabilities and Gumbel noise is a sample. */
function multinomial(c: NodeContext): Value {
  const logits = c.cast(c.in(0), "f32");
  const [rows, classes] = logits.type.shape;
  if (rows === undefined || classes === undefined) return c.fail("Multinomial of no matrix");
  const samples = c.int("sample_size", 1);
  const stated = c.maybeInt("dtype");
  // Above 0: the logarithm of 0 is no number.
  const drawn = uniform(c, [rows, samples, classes], 2 ** -24, 1);
  const noise = c.op("neg", [c.op("log", [c.op("neg", [c.op("log", [drawn])])])]);
  const noisy = c.op("add", [c.reshape(logits, [rows, 1, classes]), noise]);
  const sample = c.op("argmax", [noisy], { axes: [2], keepdims: false });
  return stated === null ? sample : c.cast(sample, c.dtypeOf(stated));
}

export const contribRandomRules: Rules = { BiasDropout: biasDropout };
export const randomRules: Rules = {
  Dropout: dropout,
  RandomUniform: randomUniform,
  RandomUniformLike: randomUniform,
  RandomNormal: randomNormal,
  RandomNormalLike: randomNormal,
  Bernoulli: bernoulli,
  Multinomial: multinomial,
};
