import fc from "fast-check";
import { expect, test } from "vitest";
import { stridesOf, type Shape } from "../ir";
import type { Box } from "./demand";
import { reshapedBox } from "./reshaped-box";

/** Offsets in memory of every element of a box, in order. */
function offsetsOf(box: Box, shape: Shape): number[] {
  const strides = stridesOf(shape);
  return box
    .reduce<number[]>(
      (offsets, { start, count, step }, axis) =>
        offsets.flatMap((offset) =>
          Array.from({ length: count }, (_, i) => offset + (start + i * step) * strides[axis]!),
        ),
      [0],
    )
    .toSorted((a, b) => a - b);
}

const axis = (extent: number) =>
  fc
    .record({
      start: fc.nat(extent - 1),
      step: fc.integer({ min: 1, max: 3 }),
      most: fc.integer({ min: 1, max: extent }),
    })
    .map(({ start, step, most }) => ({
      start,
      step,
      count: Math.min(most, Math.floor((extent - 1 - start) / step) + 1),
    }));

/** Two shapes of the same factors, grouped differently, and a box of the first. */
const reshapes = fc
  .tuple(fc.array(fc.constantFrom(1, 2, 3, 4), { minLength: 1, maxLength: 5 }), fc.nat(31), fc.nat(31))
  .map(([factors, a, b]) => [a, b].map((cuts) => grouped(factors, cuts)) as [number[], number[]])
  .chain(([from, to]) => fc.tuple(fc.tuple(...from.map(axis)), fc.constant(from), fc.constant(to)));

function grouped(factors: readonly number[], cuts: number): number[] {
  const shape: number[] = [];
  factors.forEach((factor, i) => {
    if (i > 0 && (cuts >> i) % 2 === 0) shape[shape.length - 1]! *= factor;
    else shape.push(factor);
  });
  return shape;
}

test("a box of another shape is made of the same elements", () => {
  let found = 0;
  fc.assert(
    fc.property(reshapes, ([box, from, to]) => {
      const other = reshapedBox(box, from, to);
      if (other) found++;
      expect(other ? offsetsOf(other, to) : null).toEqual(other && offsetsOf(box, from));
    }),
    { numRuns: 2000 },
  );
  expect(found).toBeGreaterThan(1000);
});

test("one head of many, and what is no box", () => {
  const whole = (count: number) => ({ start: 0, count, step: 1 });
  const key = [whole(2), whole(8), { start: 1, count: 1, step: 1 }, whole(4), whole(16)];
  expect(reshapedBox(key, [2, 8, 3, 4, 16], [2, 8, 192])).toEqual([
    whole(2),
    whole(8),
    { start: 64, count: 64, step: 1 },
  ]);
  expect(reshapedBox([{ start: 1, count: 4, step: 1 }], [6], [2, 3])).toBeNull();
  expect(reshapedBox([whole(0), whole(3)], [0, 3], [0])).toBeNull();
});
