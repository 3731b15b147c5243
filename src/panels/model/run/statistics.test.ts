import { expect, test } from "vitest";
import { halfSpread, quantileOfSorted, spreadOf } from "./statistics";

test("median and quartiles do not depend on the order of the samples", () => {
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
