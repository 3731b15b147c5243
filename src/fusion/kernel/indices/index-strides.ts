/** @file Indices of a loop by what one iteration does to them: enough to say which loads stand still, and which cases of a movement are ever taken. */
import type { Shape } from "../../ir";
import type { IndexAlgebra } from "../../ops";
import { changesAlong, type LayoutStep } from "./row-layout";
import type { RegionForm } from "../types";

/**
 * An index: from iteration to iteration it changes by multiples of `step`, 0 for not at all, and it lies in `min` … `max`. It is the sum of a
 * part that stands still, a multiple of `unit` (0: there is none), and one that moves, between `low` and `high`.
 */
export interface IndexStride {
  readonly step: number;
  readonly min: number;
  readonly max: number;
  readonly unit: number;
  readonly low: number;
  readonly high: number;
}

/** An index that no iteration changes. @param unit what it is a multiple of */
export const constantIndex = (min: number, max: number, unit = 1): IndexStride => ({
  step: 0,
  min,
  max,
  unit,
  low: 0,
  high: 0,
});
/** An index of which nothing is known to stand still. */
export const movingIndex = (step: number, min: number, max: number): IndexStride =>
  step === 0 ? constantIndex(min, max) : { step, min, max, unit: 0, low: min, high: max };

/** Whether a condition holds everywhere, nowhere, or it depends. */
export type Holds = "always" | "never" | "depends";

function gcd(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** Whether the part that moves never carries into the part that stands still, nor that one's remainder by `by` into it. */
const staysBelowUnit = ({ unit, low, high }: IndexStride, by: number): boolean =>
  unit > 0 && by % unit === 0 && low >= 0 && high < unit;

/** Index arithmetic on steps: what is not known to stand still moves. */
export const indexStrides: IndexAlgebra<IndexStride, Holds> = {
  int: (value) => constantIndex(value, value, Math.abs(value)),
  add: (a, b) => ({
    step: gcd(a.step, b.step),
    min: a.min + b.min,
    max: a.max + b.max,
    unit: gcd(a.unit, b.unit),
    low: a.low + b.low,
    high: a.high + b.high,
  }),
  mul: (a, by) => ({
    step: a.step * Math.abs(by),
    min: Math.min(a.min * by, a.max * by),
    max: Math.max(a.min * by, a.max * by),
    unit: a.unit * Math.abs(by),
    low: Math.min(a.low * by, a.high * by),
    high: Math.max(a.low * by, a.high * by),
  }),
  div(a, by) {
    const [min, max] = [Math.floor(a.min / by), Math.floor(a.max / by)];
    const step = a.step % by === 0 ? a.step / by : 1;
    if (min === max) return indexStrides.int(min);
    if (staysBelowUnit(a, by)) return constantIndex(min, max);
    if (a.unit % by !== 0) return movingIndex(a.step === 0 ? 0 : step, min, max);
    const [low, high, unit] = [Math.floor(a.low / by), Math.floor(a.high / by), a.unit / by];
    return low === high ? constantIndex(min, max, gcd(unit, low)) : { step, min, max, unit, low, high };
  },
  mod(a, by) {
    if (a.min >= 0 && a.max < by) return a;
    if (a.unit % by === 0 && a.low >= 0 && a.high < by) return movingIndex(a.step, a.low, a.high);
    if (staysBelowUnit(a, by)) return { ...a, min: a.low, max: by - a.unit + a.high };
    return movingIndex(gcd(a.step, by) % by, 0, by - 1);
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

/** An index that is either of two. */
export const eitherStride = (a: IndexStride, b: IndexStride): IndexStride => ({
  step: gcd(a.step, b.step),
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
  unit: gcd(a.unit, b.unit),
  low: Math.min(a.low, b.low),
  high: Math.max(a.high, b.high),
});

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

/**
 * Coordinates after the steps of a layout, as a loop over the columns of a row changes them.
 * @param width columns that one iteration of the loop takes
 * @param fixed coordinates of the row that are known
 */
export function stridesAlong(
  layout: readonly LayoutStep[],
  { space, reducedAxes, columns }: RegionForm,
  width: number,
  fixed: ReadonlyMap<number, number> = new Map(),
): IndexStride[] {
  const column = movingIndex(columns === width ? 0 : width, 0, Math.max(0, columns - 1));
  const along = unravelled(
    column,
    space.map((extent, axis) => (reducedAxes.includes(axis) ? extent : 1)),
  );
  const start = space.map((extent, axis) => {
    if (reducedAxes.includes(axis)) return along[axis]!;
    const known = fixed.get(axis);
    return known === undefined ? constantIndex(0, Math.max(0, extent - 1)) : indexStrides.int(known);
  });
  const end = layout.reduce<readonly IndexStride[]>((at, { from, to, perm }) => {
    if (perm) return perm.map((axis) => (axis === null ? indexStrides.int(0) : at[axis]!));
    return unravelled(ravelled(at, from), to);
  }, start);
  const moves = changesAlong(layout, space, reducedAxes);
  return end.map((index, axis) => (moves[axis] ? index : constantIndex(index.min, index.max)));
}
