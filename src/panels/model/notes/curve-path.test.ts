import { expect, test } from "vitest";
import { curvePath } from "./curve-path";

test("a line from end to end, zero between, and the point furthest from it", () => {
  const { path, zero, peak } = curvePath({ title: "", least: -1, most: 1, values: [0, 1, -3] }, 100, 48);
  expect(path).toBe("M0.0 14.0L50.0 4.0L100.0 44.0");
  expect(zero).toBe(14);
  expect(peak).toEqual({ value: -3, at: 1, x: 100, y: 44 });
});

test("what is zero everywhere is a level line", () => {
  expect(curvePath({ title: "", least: 0, most: 1, values: [0, 0] }, 10, 48).path).toBe("M0.0 4.0L10.0 4.0");
});
