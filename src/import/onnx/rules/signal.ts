/** @file Windows, discrete Fourier transforms of known length, mel bands. */
import type { DType } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";
import { range, zeros } from "./arithmetic";

/** Σ aᵢ · cos(i · 2πk / N): the cosine windows differ in their coefficients alone. */
const windowOf =
  (...coefficients: readonly number[]): Rule =>
  (c) => {
    const size = c.known(0, "size")[0] ?? 0;
    const period = c.int("periodic", 1) === 1 ? size : size - 1;
    const at = (k: number): number =>
      coefficients.reduce((sum, a, i) => sum + a * Math.cos((i * 2 * Math.PI * k) / Math.max(period, 1)), 0);
    const dtype = c.dtypeOf(c.int("output_datatype", 1));
    return c.emit.host({
      dtype,
      dims: [size],
      data: Float64Array.from(range(size), (k) => at(k)),
      wide: false,
    });
  };

/** Cut or filled with zeros to `length` along an axis. */
function fitted(c: NodeContext, x: Value, axis: number, length: number): Value {
  const extent = x.type.shape[axis] ?? 0;
  if (extent > length) return c.op("slice", [x], { start: [0], stop: [length], axes: [axis] });
  if (extent === length) return x;
  const pads = x.type.shape
    .toReversed()
    .flatMap((_, i) => [0, i === x.type.shape.length - 1 - axis ? length - extent : 0]);
  return c.op("pad", [x], { pads, mode: "constant", value: 0 });
}

/** Of what is transformed: its length, real (1) or complex (2), the frequencies of its result. */
interface Transform {
  readonly length: number;
  readonly parts: number;
  readonly frequencies: number;
  readonly inverse: boolean;
}

/** Cosines and sines [length · parts, frequencies · 2]: rows are (n, part), columns (k, part), so that one product does all four. */
function waves(c: NodeContext, dtype: DType, { length, parts, frequencies, inverse }: Transform): Value {
  const matrix = zeros(length * parts * frequencies * 2);
  for (let n = 0; n < length; n++)
    for (let k = 0; k < frequencies; k++) {
      const angle = ((inverse ? 2 : -2) * Math.PI * ((n * k) % length)) / length;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)].map((v) => v / (inverse ? length : 1)) as [number, number];
      const put = (part: number, other: number, value: number): void => {
        matrix[(n * parts + part) * frequencies * 2 + k * 2 + other] = value;
      };
      put(0, 0, cos);
      put(0, 1, sin);
      if (parts === 2) put(1, 0, -sin);
      if (parts === 2) put(1, 1, cos);
    }
  return c.emit.host({ dtype, dims: [length * parts, frequencies * 2], data: matrix, wide: false });
}

const half = (length: number): number => Math.floor(length / 2) + 1;

/** X[…, n, 1 or 2] → [−1: real and imaginary part]: a product with the matrix of cosines and sines. */
function dft(c: NodeContext): Value {
  const x = c.in(0);
  const { shape, dtype } = x.type;
  const [rank, parts] = [shape.length, shape.at(-1) ?? 1];
  const stated = c.opset >= 20 ? (c.maybe(2) ? c.known(2, "axis")[0]! : -2) : c.int("axis", 1);
  const axis = c.axis(stated, rank);
  const length = c.maybe(1) ? (c.known(1, "length")[0] ?? 1) : (shape[axis] ?? 1);
  const inverse = c.int("inverse", 0) === 1;
  const one = c.int("onesided", 0) === 1;
  if (one && inverse) return c.fail("an inverse transform of half a spectrum");
  const frequencies = one ? half(length) : length;
  const outer = shape.map((_, i) => i).filter((i) => i !== axis && i !== rank - 1);
  const order = [...outer, axis, rank - 1];
  const transposed = c.op("transpose", [fitted(c, x, axis, length)], { perm: order });
  const rows = c.reshape(transposed, [...outer.map((i) => shape[i]!), length * parts]);
  const table = waves(c, dtype, { length, parts, frequencies, inverse });
  const spread = c.reshape(c.op("matmul", [rows, table]), [...outer.map((i) => shape[i]!), frequencies, 2]);
  return c.op("transpose", [spread], { perm: shape.map((_, i) => order.indexOf(i)) });
}

/** Half a spectrum of the last axis of real numbers, or [‥, k, 2] back to them, which divides by the length. */
const realTransform =
  (inverse: boolean): Rule =>
  (c) => {
    const x = c.in(0);
    const { shape, dtype } = x.type;
    if (c.int("signal_ndim", 1) !== 1 || c.int("normalized", 0) !== 0 || c.int("onesided", 1) !== 1)
      return c.fail("a transform over several axes, normalised or of a whole spectrum");
    const outer = shape.slice(0, inverse ? -2 : -1);
    if (!inverse) {
      const length = shape.at(-1) ?? 1;
      const frequencies = half(length);
      return c.reshape(c.op("matmul", [x, waves(c, dtype, { length, parts: 1, frequencies, inverse })]), [
        ...outer,
        frequencies,
        2,
      ]);
    }
    const frequencies = shape.at(-2) ?? 1;
    const length = 2 * (frequencies - 1);
    // What is missing of the spectrum mirrors what is there: each frequency between the ends counts twice.
    const data = zeros(frequencies * 2 * length);
    for (let k = 0; k < frequencies; k++)
      for (let n = 0; n < length; n++) {
        const angle = (2 * Math.PI * ((n * k) % length)) / length;
        const times = k === 0 || k === frequencies - 1 ? 1 : 2;
        data[2 * k * length + n] = (times * Math.cos(angle)) / length;
        data[(2 * k + 1) * length + n] = (-times * Math.sin(angle)) / length;
      }
    const back = c.emit.host({ dtype, dims: [frequencies * 2, length], data, wide: false });
    return c.op("matmul", [c.reshape(x, [...outer, frequencies * 2]), back]);
  };

/** Frames of a signal [batch, n, 1 or 2], a step apart, each weighted and transformed: [batch, frames, k, 2]. */
function stft(c: NodeContext): Value {
  const signal = c.in(0);
  const { shape, dtype } = signal.type;
  const [batch, extent, parts] = [shape[0]!, shape[1]!, shape[2] ?? 1];
  const weights = c.maybe(2);
  const step = c.known(1, "step")[0] ?? 1;
  const length = c.maybe(3) ? (c.known(3, "frame length")[0] ?? 1) : (weights?.type.shape[0] ?? extent);
  if (weights && weights.type.shape[0] !== length) return c.fail("a window of another length than its frames");
  const one = c.int("onesided", 1) === 1;
  if (one && parts === 2) return c.fail("half a spectrum of complex numbers");
  const lanes = c.op("transpose", [c.reshape(signal, [batch, extent, parts])], { perm: [0, 2, 1] });
  const frames = c.op("window", [lanes], { kernel_size: [length], stride: [step] });
  const weighted = weights ? c.op("mul", [frames, c.reshape(weights, [length, 1])]) : frames;
  const count = frames.type.shape[3]!;
  const rows = c.reshape(c.op("transpose", [weighted], { perm: [0, 3, 2, 1] }), [batch, count, length * parts]);
  const frequencies = one ? half(length) : length;
  const spread = c.op("matmul", [rows, waves(c, dtype, { length, parts, frequencies, inverse: false })]);
  return c.reshape(spread, [batch, count, frequencies, 2]);
}

/** Triangles [frequencies, bands] whose corners stand evenly on the mel scale, 2595 · log₁₀(1 + hertz / 700). */
function melWeights(c: NodeContext): Value {
  const [bands, length, rate, low, high] = ["bands", "length", "rate", "lowest frequency", "highest frequency"].map(
    (what, i) => c.known(i, what)[0] ?? 1,
  ) as [number, number, number, number, number];
  const mel = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700);
  const step = (mel(high) - mel(low)) / (bands + 2);
  const corner = (i: number): number => {
    const hertz = 700 * (10 ** ((mel(low) + i * step) / 2595) - 1);
    return Math.floor(((length + 1) * hertz) / rate);
  };
  const frequencies = half(length);
  const data = zeros(frequencies * bands);
  for (let band = 0; band < bands; band++) {
    const [first, top, last] = [corner(band), corner(band + 1), corner(band + 2)];
    for (let at = Math.max(first, 0); at < Math.min(Math.max(last, top + 1), frequencies); at++) {
      const rising = top === first ? 1 : (at - first) / (top - first);
      data[at * bands + band] = at < top || last === top ? rising : (last - at) / (last - top);
    }
  }
  const dtype = c.dtypeOf(c.int("output_datatype", 1));
  return c.emit.host({ dtype, dims: [frequencies, bands], data, wide: false });
}

export const signalRules: Rules = {
  HannWindow: windowOf(0.5, -0.5),
  HammingWindow: windowOf(25 / 46, -21 / 46),
  BlackmanWindow: windowOf(0.42, -0.5, 0.08),
  DFT: dft,
  STFT: stft,
  MelWeightMatrix: melWeights,
};
export const contribSignalRules: Rules = { Rfft: realTransform(false), Irfft: realTransform(true) };
