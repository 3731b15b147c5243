/** @file Indices of a loop by what one iteration does to them: enough to say which loads stand still, and which cases of a movement are ever taken. */
import type { Shape } from "../../ir";
import type { IndexAlgebra } from "../../ops";
import { changesAlong, type LayoutStep } from "./row-layout";
import type { RegionForm } from "../types";

/** A digit of an index: 0 … `max` of them, times `by`. From iteration to iteration it changes by multiples of `step`, 0 for not at all. */
interface Digit {
  readonly by: number;
  readonly max: number;
  readonly step: number;
}

/** An index as the sum of `base` and of digits: from iteration to iteration it changes by multiples of `step`, and it lies in `min` … `max`. */
export interface IndexStride {
  readonly step: number;
  readonly min: number;
  readonly max: number;
  readonly base: number;
  readonly digits: readonly Digit[];
}

function gcd(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const lowest = (digits: readonly Digit[]): number => sum(digits.map(({ by, max }) => Math.min(0, by * max)));
const highest = (digits: readonly Digit[]): number => sum(digits.map(({ by, max }) => Math.max(0, by * max)));
const stepOf = (digits: readonly Digit[]): number => digits.reduce((all, { by, step }) => gcd(all, by * step), 0);

/** @param within bounds that are known beside those of the digits */
function indexOf(base: number, all: readonly Digit[], within?: readonly [min: number, max: number]): IndexStride {
  const digits = all.filter(({ by, max }) => by !== 0 && max > 0);
  const [min, max] = within ?? [base + lowest(digits), base + highest(digits)];
  return { step: stepOf(digits), min, max, base, digits };
}

/** An index that changes by multiples of `step`, and of which nothing else is known. */
export const movingIndex = (step: number, min: number, max: number): IndexStride =>
  indexOf(min, [{ by: 1, max: max - min, step }]);
/** An index that no iteration changes. */
export const constantIndex = (min: number, max: number): IndexStride => movingIndex(0, min, max);

/** Whether a condition holds everywhere, nowhere, or it depends. */
export type Holds = "always" | "never" | "depends";

/** a = by · high + low, with the multiples of `by` in `high`. */
function split(a: IndexStride, by: number): { readonly high: IndexStride; readonly low: IndexStride } {
  const carry = Math.floor(a.base / by);
  const multiples = a.digits.filter((digit) => digit.by % by === 0);
  if (multiples.length === 0 && carry === 0) return { high: indexOf(0, []), low: a };
  return {
    high: indexOf(
      carry,
      multiples.map((digit) => ({ ...digit, by: digit.by / by })),
    ),
    low: indexOf(
      a.base - carry * by,
      a.digits.filter((digit) => digit.by % by !== 0),
    ),
  };
}

const isBelow = ({ min, max }: IndexStride, by: number): boolean => min >= 0 && max < by;

/** The largest divisor g of `by` with a = g · high + low and 0 ≤ low < g: a division then works on `high` alone. */
function factor(a: IndexStride, by: number): { g: number; high: IndexStride; low: IndexStride } | null {
  const divisors = new Set(a.digits.map((digit) => gcd(digit.by, by)));
  for (const g of [...divisors].toSorted((x, y) => y - x)) {
    if (g === 1) break;
    const { high, low } = split(a, g);
    if (isBelow(low, g) && high.min >= 0) return { g, high, low };
  }
  return null;
}

/** Index arithmetic on steps, digit by digit as indices are written: what is not known to stand still moves. */
export const indexStrides: IndexAlgebra<IndexStride, Holds> = {
  int: (value) => indexOf(value, []),
  add: (a, b) => indexOf(a.base + b.base, [...a.digits, ...b.digits], [a.min + b.min, a.max + b.max]),
  mul: (a, by) =>
    indexOf(
      a.base * by,
      a.digits.map((digit) => ({ ...digit, by: digit.by * by })),
      [Math.min(a.min * by, a.max * by), Math.max(a.min * by, a.max * by)],
    ),
  div(a, by) {
    const [min, max] = [Math.floor(a.min / by), Math.floor(a.max / by)];
    if (min === max) return indexStrides.int(min);
    const { high, low } = split(a, by);
    if (isBelow(low, by)) return high;
    const found = factor(low, by);
    if (found) return indexStrides.add(high, indexStrides.div(found.high, by / found.g));
    const step = low.step % by === 0 ? low.step / by : 1;
    return indexStrides.add(high, movingIndex(step, Math.floor(low.min / by), Math.floor(low.max / by)));
  },
  mod(a, by) {
    if (isBelow(a, by)) return a;
    const { low } = split(a, by);
    if (isBelow(low, by)) return low;
    const found = factor(low, by);
    if (found)
      return indexStrides.add(indexStrides.mul(indexStrides.mod(found.high, by / found.g), found.g), found.low);
    return movingIndex(gcd(low.step, by) % by, 0, by - 1);
  },
  less: (a, bound) => (a.max < bound ? "always" : a.min >= bound ? "never" : "depends"),
  atLeast: (a, bound) => (a.min >= bound ? "always" : a.max < bound ? "never" : "depends"),
  and(a, b) {
    if (a === "never" || b === "never") return "never";
    return a === "always" ? b : b === "always" ? a : "depends";
  },
};

/** The same where threads share an iteration: what they count down by is not followed, as it is not where indices are written. */
export const sharedStrides: IndexAlgebra<IndexStride, Holds> = {
  ...indexStrides,
  mul(a, by) {
    const product = indexStrides.mul(a, by);
    return by < 0 && a.step !== 0 ? movingIndex(1, product.min, product.max) : product;
  },
};

/** One digit for those of two indices that move, or for those that stand still with their bases; and what it begins with. */
function eitherDigit(a: IndexStride, b: IndexStride, moves: boolean): { base: number; digit: Digit } {
  const parts = [a, b].map(({ base, digits }) => ({
    base: moves ? 0 : base,
    digits: digits.filter(({ step }) => (step !== 0) === moves),
  }));
  const base = Math.min(...parts.map((part) => part.base + lowest(part.digits)));
  const end = Math.max(...parts.map((part) => part.base + highest(part.digits)));
  const all = parts.flatMap(({ digits }) => digits);
  const by = all.reduce((unit, digit) => gcd(unit, digit.by), parts[0]!.base - parts[1]!.base) || 1;
  return { base, digit: { by: Math.abs(by), max: (end - base) / Math.abs(by), step: stepOf(all) / Math.abs(by) } };
}

/** An index that is either of two. */
export function eitherStride(a: IndexStride, b: IndexStride): IndexStride {
  // One digit is what several would become.
  if (a === b && a.digits.length <= 1 && (a.digits[0]?.by ?? 1) > 0) return a;
  const [still, moving] = [eitherDigit(a, b, false), eitherDigit(a, b, true)];
  return indexOf(
    still.base + moving.base,
    [still.digit, moving.digit],
    [Math.min(a.min, b.min), Math.max(a.max, b.max)],
  );
}

function unravelled(linear: IndexStride, shape: Shape): IndexStride[] {
  const at: IndexStride[] = shape.map(() => indexStrides.int(0));
  let rest = linear;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] === 1) continue;
    at[axis] = indexStrides.mod(rest, Math.max(1, shape[axis]!));
    rest = indexStrides.div(rest, Math.max(1, shape[axis]!));
  }
  return at;
}

function ravelled(at: readonly IndexStride[], shape: Shape): IndexStride {
  let [sum, stride] = [indexStrides.int(0), 1];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    sum = indexStrides.add(sum, indexStrides.mul(at[axis]!, stride));
    stride *= shape[axis]!;
  }
  return sum;
}

/** One of four neighbouring rows or columns that a thread takes at a time. */
export interface Neighbour {
  readonly along: "rows" | "columns";
  readonly number: number;
}

/** The index of such a neighbour among `extent`. @param step fours from iteration to iteration */
const oneOfFour = (number: number, extent: number, step: number): IndexStride =>
  indexOf(number, [{ by: 4, max: extent / 4 - 1, step }]);

/**
 * Coordinates after the steps of a layout, as a loop over the columns of a row changes them.
 * @param width columns that one iteration of the loop takes
 * @param lane which of four neighbours that a thread takes at a time; null for any
 */
export function stridesAlong(
  layout: readonly LayoutStep[],
  { space, reducedAxes, rows, columns }: RegionForm,
  width: number,
  lane: Neighbour | null = null,
): IndexStride[] {
  const step = width >= columns ? 0 : width;
  const column =
    lane?.along === "columns"
      ? oneOfFour(lane.number, columns, step % 4 === 0 ? step / 4 : 1)
      : movingIndex(step, 0, Math.max(0, columns - 1));
  const along = unravelled(
    column,
    space.map((extent, axis) => (reducedAxes.includes(axis) ? extent : 1)),
  );
  const row =
    lane?.along === "rows"
      ? unravelled(
          oneOfFour(lane.number, rows, 0),
          space.map((extent, axis) => (reducedAxes.includes(axis) ? 1 : extent)),
        )
      : space.map((extent) => constantIndex(0, Math.max(0, extent - 1)));
  const start = space.map((_, axis) => (reducedAxes.includes(axis) ? along[axis]! : row[axis]!));
  const end = layout.reduce<readonly IndexStride[]>((at, { from, to, perm }) => {
    if (perm) return perm.map((axis) => (axis === null ? indexStrides.int(0) : at[axis]!));
    return unravelled(ravelled(at, from), to);
  }, start);
  const moves = changesAlong(layout, space, reducedAxes);
  return end.map((index, axis) => (moves[axis] || index.step === 0 ? index : constantIndex(index.min, index.max)));
}
