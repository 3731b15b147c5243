/** @file Order statistics of raw samples. Medians are computed here and nowhere else. */

/** Quantile `at` (0 to 1) of ascending samples by linear interpolation; NaN when there are none. */
export function quantileOfSorted(sorted: readonly number[], at: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = (sorted.length - 1) * at;
  const below = Math.floor(rank);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (rank - below);
}

export interface Spread {
  readonly samples: number;
  readonly median: number;
  /** The median less or more what is written after ±: where the whiskers end, and what a difference is judged by. */
  readonly lower: number;
  readonly upper: number;
}

/** The median, and half the distance of the quartiles to either side of it, in the samples' unit; no time is less than 0. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b);
  const median = quantileOfSorted(sorted, 0.5);
  const half = (quantileOfSorted(sorted, 0.75) - quantileOfSorted(sorted, 0.25)) / 2;
  return { samples: sorted.length, median, lower: Math.max(0, median - half), upper: median + half };
}

/** Half the distance of the quartiles: what is written after ±. */
export const halfSpread = ({ median, upper }: Spread): number => upper - median;

/** Fewer samples than this say nothing of how far they scatter: it is taken to be a quarter of their median. */
export const FEW_SAMPLES = 3;
const UNKNOWN_SPREAD = 1 / 4;

function judged({ samples, median, lower, upper }: Spread): readonly [lower: number, upper: number] {
  const unknown = samples < FEW_SAMPLES ? median * UNKNOWN_SPREAD : 0;
  return [Math.min(lower, median - unknown), Math.max(upper, median + unknown)];
}

/** Which of two times is less: negative, the first; positive, the second; 0 where their medians ± spread meet, which shows no difference. */
export function orderOf(first: Spread, second: Spread): -1 | 0 | 1 {
  const [[low, high], [lower, upper]] = [judged(first), judged(second)];
  return high < lower ? -1 : upper < low ? 1 : 0;
}
