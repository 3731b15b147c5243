import { expect, test } from "vitest";
import { binRange, ulpHistogram } from "./ulps";

const step = 2 ** -23;

test("each element falls into the bin of its steps, and nowhere else", () => {
  const want = [1, 1, 1, 1, 1, 1];
  const got = [1, 1 + step, 1 + 2 * step, 1 + 3 * step, 1 + 4 * step, 1 - step / 2];
  expect(ulpHistogram(want, got, 0)).toEqual({ bins: [1, 2, 2, 1], nearZero: 0, nan: 0 });
  expect([0, 1, 2, 3].map(binRange)).toEqual([
    [0, 0],
    [1, 1],
    [2, 3],
    [4, 7],
  ]);
});

test("what is right is rounded first; NaN on one side and what lies near 0 are counted apart", () => {
  expect(ulpHistogram([0.1], [Math.fround(0.1)], 0).bins).toEqual([1]);
  expect(ulpHistogram([NaN, NaN, 1, 1e-9, 0], [NaN, 1, NaN, -1e-9, -0], 1e-6)).toEqual({
    bins: [2],
    nearZero: 1,
    nan: 2,
  });
  expect(ulpHistogram([], [], 0)).toEqual({ bins: [], nearZero: 0, nan: 0 });
});
