/** @file What tile, repeat and repeat_interleave share: shapes and index rules of copies. */
import type { Attrs, Checked, Shape } from "../ir";
import type { IndexAlgebra, IndexCase } from "./define";
import { checkAxes, fine, normalAxis, numberOf, numbersOf, wrong, type Failed } from "./shapes";

const badCount = (counts: readonly number[]): Failed | null => {
  const bad = counts.find((count) => !Number.isInteger(count) || count < 0);
  return bad === undefined
    ? null
    : wrong("bad-attr", `A tensor can't be repeated ${bad} times; counts are whole numbers from 0.`);
};

/** Shapes and counts are aligned at the last axis; the shorter one is filled with 1 in front. */
export function tileShape(x: Shape, counts: readonly number[]): Checked<Shape> {
  const rank = Math.max(x.length, counts.length);
  const at = (list: readonly number[], axis: number): number => list[axis - rank + list.length] ?? 1;
  return badCount(counts) ?? fine(Array.from({ length: rank }, (_, axis) => at(x, axis) * at(counts, axis)));
}

export function tileSource<I, C>(out: readonly I[], x: Shape, algebra: IndexAlgebra<I, C>): IndexCase<I, C>[] {
  const offset = out.length - x.length;
  const index = x.map((extent, axis) =>
    extent === 1 ? algebra.int(0) : algebra.mod(out[axis + offset]!, Math.max(1, extent)),
  );
  return [{ when: null, operand: 0, index }];
}

export function interleaveShape(x: Shape, attrs: Attrs, name: string): Checked<Shape> {
  const counts = numbersOf(attrs["repeats"]);
  if (counts.length !== 1) return wrong("bad-attr", "Along an axis, one count repeats every element.");
  const bad = badCount(counts) ?? checkAxes(numberOf(attrs["axis"], -1), x, name);
  const axis = normalAxis(numberOf(attrs["axis"], -1), x.length);
  return bad ?? fine(x.map((extent, i) => (i === axis ? extent * counts[0]! : extent)));
}

export function interleaveSource<I, C>(
  out: readonly I[],
  x: Shape,
  attrs: Attrs,
  algebra: IndexAlgebra<I, C>,
): IndexCase<I, C>[] {
  const axis = normalAxis(numberOf(attrs["axis"], -1), x.length);
  const count = Math.max(1, numbersOf(attrs["repeats"])[0] ?? 1);
  return [{ when: null, operand: 0, index: out.map((at, i) => (i === axis ? algebra.div(at, count) : at)) }];
}
