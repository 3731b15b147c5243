/** @file Got against wanted: how far apart two tensors are, where most, and whether that is allowed. */

/** |got − want| may be atol + rtol · |want|. */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
  /** What of `atol` is meant for values of size 1: an output of small values gets as much less. */
  readonly ofSize: number;
  /** Some op on the way chooses values (max, select …), and a shader may lose a NaN there: a number instead of a NaN is then shown, not failed. */
  readonly nanMayVanish: boolean;
  /** `1e-5 · (1 + log₂ 768) for mean`: what the limit is made of, for the person who reads it. */
  readonly reason: string;
}

/** The limit for an output whose largest value is `largest`: roundings of what its values are made of are as small as they are. */
export function fittedTo(tolerance: Tolerance, largest: number): Tolerance {
  const { atol, ofSize } = tolerance;
  const share = largest > 0 ? Math.min(1, largest) : 1;
  return { ...tolerance, atol: atol - ofSize + ofSize * share, ofSize: ofSize * share };
}

/** The largest finite size among values; 0 where there is none. */
export function largestFinite(values: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]!);
    if (size < Infinity && size > largest) largest = size;
  }
  return largest;
}

export interface Comparison {
  readonly maxAbs: number;
  /** Over elements whose wanted value is larger than atol: near 0 a ratio says nothing. */
  readonly maxRel: number;
  /** Steps between neighbouring f32 values, over the same elements. */
  readonly maxUlp: number;
  /** The largest difference over the largest finite value wanted: how far off the output is as a whole. */
  readonly ofScale: number;
  /** Root of the mean squared difference over finite elements. */
  readonly rmse: number;
  /** The element that uses most of its limit; row-major. Null when all are equal. */
  readonly worst: { readonly at: number; readonly got: number; readonly want: number } | null;
  /** Elements where exactly one side is NaN. */
  readonly nanMismatches: number;
  readonly compared: number;
  readonly pass: boolean;
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** f32 values as integers in their order: neighbours differ by 1, −0 and +0 are one. */
function order(value: number): number {
  float[0] = value;
  const raw = bits[0]!;
  return raw < 0 ? -2147483648 - raw : raw;
}

/** Steps between neighbouring f32 values from one to the other. */
export const ulpsBetween = (a: number, b: number): number => Math.abs(order(a) - order(b));

/**
 * Compares element by element. Equal infinities are equal, and so is what overflows f32 to the same one; two NaN are equal.
 * @param reference f64 values
 * @param actual as many values, of the same order
 */
export function compareOutputs(
  reference: ArrayLike<number>,
  actual: ArrayLike<number>,
  { rtol, atol, nanMayVanish }: Pick<Tolerance, "rtol" | "atol" | "nanMayVanish">,
): Comparison {
  let [maxAbs, maxRel, maxUlp, squares, finite, nanMismatches, failures] = [0, 0, 0, 0, 0, 0, 0];
  let scale = 0;
  let worst: Comparison["worst"] = null;
  let worstShare = 0;
  const blame = (at: number, share: number): void => {
    if (share <= worstShare) return;
    worstShare = share;
    worst = { at, got: actual[at]!, want: reference[at]! };
  };
  if (reference.length !== actual.length) failures++;
  const compared = Math.min(reference.length, actual.length);
  for (let i = 0; i < compared; i++) {
    const [want, got] = [reference[i]!, actual[i]!];
    if (Number.isNaN(want) || Number.isNaN(got)) {
      if (Number.isNaN(want) === Number.isNaN(got)) continue;
      nanMismatches++;
      if (Number.isNaN(got) || !nanMayVanish) {
        failures++;
        blame(i, Infinity);
      }
      continue;
    }
    if (Math.abs(want) < Infinity) scale = Math.max(scale, Math.abs(want));
    if (want === got || Math.fround(want) === got) {
      const apart = Math.abs(got - want);
      if (apart < Infinity) finite++;
      continue;
    }
    const apart = Math.abs(got - want);
    const size = Math.abs(want);
    const limit = size === Infinity ? 0 : atol + rtol * size;
    if (apart > maxAbs) maxAbs = apart;
    if (size > atol) {
      maxRel = Math.max(maxRel, apart / size);
      maxUlp = Math.max(maxUlp, ulpsBetween(Math.fround(want), got));
    }
    if (apart < Infinity) {
      squares += apart * apart;
      finite++;
    }
    if (apart > limit) failures++;
    blame(i, limit === 0 ? Infinity : apart / limit);
  }
  const rmse = finite === 0 ? 0 : Math.sqrt(squares / finite);
  const ofScale = maxAbs === 0 ? 0 : maxAbs / scale;
  return { maxAbs, maxRel, maxUlp, ofScale, rmse, worst, nanMismatches, compared, pass: failures === 0 };
}
