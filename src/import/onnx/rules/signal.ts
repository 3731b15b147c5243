/** @file Windows and discrete Fourier transforms of known length. */
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";

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
      data: Float64Array.from({ length: size }, (_, k) => at(k)),
      wide: false,
    });
  };

/** Cut or filled with zeros to `length` along an axis. */
function fitted(c: NodeContext, x: Value, axis: number, length: number): Value {
  const extent = x.type.shape[axis] ?? 0;
  if (extent > length) return c.op("slice", [x], { start: [0], stop: [length], axes: [axis] });
  if (extent === length) return x;
  const pads = x.type.shape.toReversed().flatMap((_, i) => [0, i === x.type.shape.length - 1 - axis ? length - extent : 0]); // prettier-ignore
  return c.op("pad", [x], { pads, mode: "constant", value: 0 });
}

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
  const kept = one ? Math.floor(length / 2) + 1 : length;
  // Rows are (n, part), columns (k, part), so that one product does all four.
  const matrix = new Float64Array(length * parts * kept * 2);
  for (let n = 0; n < length; n++)
    for (let k = 0; k < kept; k++) {
      const angle = ((inverse ? 2 : -2) * Math.PI * ((n * k) % length)) / length;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)].map((v) => v / (inverse ? length : 1)) as [number, number];
      const put = (part: number, other: number, value: number): void => {
        matrix[(n * parts + part) * kept * 2 + k * 2 + other] = value;
      };
      put(0, 0, cos);
      put(0, 1, sin);
      if (parts === 2) put(1, 0, -sin);
      if (parts === 2) put(1, 1, cos);
    }
  const outer = shape.map((_, i) => i).filter((i) => i !== axis && i !== rank - 1);
  const order = [...outer, axis, rank - 1];
  const turned = c.op("transpose", [fitted(c, x, axis, length)], { perm: order });
  const rows = c.reshape(turned, [...outer.map((i) => shape[i]!), length * parts]);
  const table = c.emit.host({ dtype, dims: [length * parts, kept * 2], data: matrix, wide: false });
  const spread = c.reshape(c.op("matmul", [rows, table]), [...outer.map((i) => shape[i]!), kept, 2]);
  return c.op("transpose", [spread], { perm: shape.map((_, i) => order.indexOf(i)) });
}

export const signalRules: Rules = {
  HannWindow: windowOf(0.5, -0.5),
  HammingWindow: windowOf(25 / 46, -21 / 46),
  BlackmanWindow: windowOf(0.42, -0.5, 0.08),
  DFT: dft,
};
