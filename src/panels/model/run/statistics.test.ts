import { expect, test } from "vitest";
import { halfSpread, orderOf, quantileOfSorted, spreadOf } from "./statistics";

test("median and spread do not depend on the order of the samples", () => {
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ samples: 5, median: 3, lower: 2, upper: 4 });
});

test("an even number of samples is interpolated", () => {
  expect(spreadOf([1, 2, 3, 4])).toEqual({ samples: 4, median: 2.5, lower: 1.75, upper: 3.25 });
});

test("one outlier does not move the median", () => expect(spreadOf([10, 10, 11, 10, 900]).median).toBe(10));

test("what is written after ± is half the distance of the quartiles", () => {
  expect(halfSpread(spreadOf([1, 2, 3, 4, 5]))).toBe(1);
});

test("no samples give no number", () => expect(quantileOfSorted([], 0.5)).toBeNaN());

test("times are told apart where their ± are; the other way round the answer is the opposite", () => {
  const [low, high] = [spreadOf([10, 11, 12]), spreadOf([20, 21, 22])];
  expect([orderOf(low, high), orderOf(high, low)]).toEqual([-1, 1]);
  const wide = spreadOf([5, 15, 40]);
  expect([orderOf(low, wide), orderOf(wide, low), orderOf(low, low)]).toEqual([0, 0, 0]);
});

test("of skewed samples, too, the verdict is that of the printed ±", () => {
  // Quartiles 68 to 127 and 30 to 77, which meet; 98 ± 29.5 and 44 ± 23.5, which do not.
  const [naive, fused] = [spreadOf([68, 68, 98, 127, 127]), spreadOf([30, 30, 44, 77, 77])];
  expect([naive, fused].map(halfSpread)).toEqual([29.5, 23.5]);
  expect(naive.median - halfSpread(naive)).toBeGreaterThan(fused.median + halfSpread(fused));
  expect(orderOf(naive, fused)).toBe(1);
});

test("one sample is not taken for one without scatter", () => {
  expect(orderOf(spreadOf([100]), spreadOf([120]))).toBe(0);
  expect(orderOf(spreadOf([100]), spreadOf([300]))).toBe(-1);
});
