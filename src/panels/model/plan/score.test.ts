import { expect, test } from "vitest";
import type { Sums } from "../../../fusion";
import { scoreWords } from "./score";

const totals = (kernels: number, fullSizeTransfers: number, mebibytes: number, predictedMicros: number): Sums => ({
  kernels,
  transfers: fullSizeTransfers,
  fullSizeTransfers,
  bytes: mebibytes * 2 ** 20,
  predictedMicros,
});

test("the three values of a measure are written in one unit", () => {
  const [naive, end] = [totals(1560, 7, 112, 1510), totals(1, 3, 0.5, 33.2)];
  const { kernels, bytes, micros } = scoreWords({ naive, now: end, end });
  expect(kernels).toEqual(["1,560", "1", "1"]);
  expect(bytes).toEqual({ values: ["112", "0.5", "0.5"], unit: "MiB" });
  expect(micros.values[0]).toBe("1,510");
});
