import { expect, test } from "vitest";
import type { Totals } from "../../fusion";
import { isCrowded, scoreWords } from "./score";

const totals = (kernels: number, fullSizeTransfers: number, mebibytes: number, predictedMicros: number): Totals => ({
  kernels,
  transfers: fullSizeTransfers,
  fullSizeTransfers,
  bytes: mebibytes * 2 ** 20,
  peakBytes: 0,
  predictedMicros,
});

test("the key to the numbers gives way where four of them fill the row", () => {
  const [few, one] = [totals(3, 7, 112, 82.7), totals(1, 3, 48, 33.2)];
  expect(isCrowded(scoreWords({ naive: few, now: one, end: one }))).toBe(false);
  const [many, some] = [totals(156, 367, 367, 1510), totals(37, 128, 128, 437)];
  expect(isCrowded(scoreWords({ naive: many, now: some, end: some }))).toBe(true);
});
