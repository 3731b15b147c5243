/** @file Data for a program of any dtype, quick to make; and how far two answers are apart. */
import type { Node } from "../src/fusion";
import { noise } from "./noise";

type Numbers = Float32Array | Int32Array | Uint32Array;

/** What an `input` node says of its values, from the bench's own noise: whole numbers in their range, ranges as stated. */
export function quickData({ type: { dtype, shape }, attrs }: Node, seed: number): Numbers {
  const size = shape.reduce((product, extent) => product * extent, 1);
  const whole = dtype === "i32" || dtype === "bool";
  const source = String(attrs["source"]);
  const data = noise(size, seed);
  if (source === "arange") {
    const indices = Array.from({ length: size }, (_, i) => i);
    return whole ? Int32Array.from(indices) : Float32Array.from(indices);
  }
  if (source === "zeros") return whole ? new Int32Array(size) : new Float32Array(size);
  if (source === "ones") return whole ? new Int32Array(size).fill(1) : data.fill(1);
  const uniform = source === "uniform";
  const [lo, hi] = uniform ? [Number(attrs["lo"] ?? 0), Number(attrs["hi"] ?? 1)] : whole ? [0, 10] : [-1, 1];
  if (dtype === "bool") return Uint32Array.from(data, (x) => (x > 0 ? 1 : 0));
  if (whole) return Int32Array.from(data, (x) => Math.min(hi - 1, Math.floor(lo + ((x + 1) / 2) * (hi - lo))));
  if (uniform) for (let i = 0; i < size; i++) data[i] = lo + ((data[i]! + 1) / 2) * (hi - lo);
  return data;
}

/** Elements of an output that are compared. */
const MAX_COMPARED = 2 ** 21;

/** |a − b| / |b| in the second norm over evenly spread elements; NaN where only one of both is NaN. */
export function distance(a: Numbers, b: Numbers): number {
  const step = Math.max(1, Math.floor(a.length / MAX_COMPARED));
  let [apart, size] = [0, 0];
  for (let i = 0; i < a.length; i += step) {
    const [got, want] = [a[i]!, b[i]!];
    if (got === want || (Number.isNaN(got) && Number.isNaN(want))) {
      if (Number.isFinite(want)) size += want * want;
      continue;
    }
    apart += (got - want) ** 2;
    size += want * want;
  }
  return apart === 0 ? 0 : Math.sqrt(apart / Math.max(size, Number.MIN_VALUE));
}
