/** @file What is said of a tensor's numbers: their range, what is no number, and where two plans differ most. */
import { significant } from "../units";

export interface NumberStatistics {
  readonly elements: number;
  /** Over the finite ones; null where there is none. */
  readonly least: number | null;
  readonly largest: number | null;
  readonly mean: number | null;
  readonly nan: number;
  readonly infinite: number;
}

export function statisticsOf(values: ArrayLike<number>): NumberStatistics {
  let [least, largest, sum, finite, nan] = [Infinity, -Infinity, 0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) nan++;
    else if (Number.isFinite(value)) {
      least = Math.min(least, value);
      largest = Math.max(largest, value);
      sum += value;
      finite++;
    }
  }
  const any = finite > 0;
  return {
    elements: values.length,
    least: any ? least : null,
    largest: any ? largest : null,
    mean: any ? sum / finite : null,
    nan,
    infinite: values.length - finite - nan,
  };
}

export interface Apart {
  /** |a − b| of each element; NaN where only one of them is a number. */
  readonly distance: Float64Array;
  /** Elements that differ. */
  readonly different: number;
  /** Where they are farthest apart, row-major; null where nothing differs. */
  readonly worst: number | null;
}

/** Element by element; equal infinities and two NaNs are the same. */
export function apartOf(a: ArrayLike<number>, b: ArrayLike<number>): Apart {
  const distance = new Float64Array(a.length);
  let [different, worst, most] = [0, null as number | null, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!];
    const apart = Object.is(x, y) || x === y ? 0 : Math.abs(x - y);
    distance[i] = apart;
    if (apart === 0) continue;
    different++;
    // A number against none is farther than any two numbers.
    const far = Number.isNaN(apart) ? Infinity : apart;
    if (worst === null || far > most) [worst, most] = [i, far];
  }
  return { distance, different, worst };
}

/** Digits that tell most numbers apart, and those that tell any two of f32 apart. */
const [DIGITS, ALL_DIGITS] = [7, 9];

/** Two numbers, with as many digits as it takes to see that they differ. */
export function toldApart(a: number, b: number): readonly [string, string] {
  const at = (digits: number) => [significant(a, digits), significant(b, digits)] as const;
  const short = at(DIGITS);
  return short[0] === short[1] ? at(ALL_DIGITS) : short;
}
