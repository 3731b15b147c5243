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

test("where no transfer is of full size, all of them are counted", () => {
  const small = { ...totals(9, 0, 0.5, 90), transfers: 24 };
  const fused = { ...totals(3, 0, 0.4, 40), transfers: 8 };
  const { transfers } = scoreWords({ naive: small, now: small, end: fused });
  expect([transfers.tally.title, ...transfers.values]).toEqual(["Transfers", "24", "24", "8"]);
  // One that had some keeps the measure when the last has gone.
  expect(scoreWords({ naive: totals(5, 4, 16, 50), now: fused, end: fused }).transfers.values).toEqual([
    "4",
    "<1",
    "<1",
  ]);
});
