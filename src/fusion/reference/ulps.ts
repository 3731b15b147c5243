/** @file How far two tensors are apart, as a histogram of steps between neighbouring f32 values. */
import { ulpsBetween } from "./compare";

export interface UlpHistogram {
  /** Elements by distance: none, 1, 2–3, 4–7 … steps; bin k holds 2^(k−1) to 2^k − 1. Up to the last bin that holds any. */
  readonly bins: readonly number[];
  /** Elements that differ where the first side is as small as `atol`: a count of steps says nothing there. */
  readonly nearZero: number;
  /** Elements that are NaN on one side only. */
  readonly nan: number;
}

/** Steps that fall into bin `k`: the least and the most of them. */
export const binRange = (k: number): readonly [number, number] => (k === 0 ? [0, 0] : [2 ** (k - 1), 2 ** k - 1]);

/**
 * @param reference what is right, rounded to f32 before it is compared
 * @param actual as many values, of the same order
 * @param atol see `nearZero`
 */
export function ulpHistogram(reference: ArrayLike<number>, actual: ArrayLike<number>, atol: number): UlpHistogram {
  const bins: number[] = [];
  let [nearZero, nan] = [0, 0];
  const compared = Math.min(reference.length, actual.length);
  for (let i = 0; i < compared; i++) {
    const [want, got] = [Math.fround(reference[i]!), actual[i]!];
    const [lost, made] = [Number.isNaN(want), Number.isNaN(got)];
    if (lost !== made) {
      nan++;
      continue;
    }
    const steps = lost ? 0 : ulpsBetween(want, got);
    if (steps > 0 && Math.abs(want) <= atol) {
      nearZero++;
      continue;
    }
    const bin = steps === 0 ? 0 : Math.floor(Math.log2(steps)) + 1;
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return { bins: Array.from(bins, (held) => held ?? 0), nearZero, nan };
}
