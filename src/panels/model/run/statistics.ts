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
  readonly lower: number;
  readonly upper: number;
}

/** Median and quartiles, in the samples' unit. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    samples: sorted.length,
    median: quantileOfSorted(sorted, 0.5),
    lower: quantileOfSorted(sorted, 0.25),
    upper: quantileOfSorted(sorted, 0.75),
  };
}

/** Half the distance of the quartiles: what is written after ±. */
export const halfSpread = ({ lower, upper }: Spread): number => (upper - lower) / 2;
