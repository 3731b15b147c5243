/** @file Prices follow the machine: on a card with a measured machine's numbers, no plan is priced above its parts, and few long workgroups don't pay. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { untuned } from "../bench/untuned";
import { compile, defaultOptions, type DeviceProfile } from "../src/fusion";
import { generic } from "../src/fusion/cost";
import { examples } from "../src/lessons";

/** The roofs of docs/measurements.md, as the page measures them. */
const measured: DeviceProfile = {
  ...generic,
  name: "measured",
  bandwidth: 4.13e12,
  peakFlops: 50.8e12,
  launchMicros: 1.85,
  multiprocessors: 132,
};

/** Examples whose kernels have few workgroups even when they are large. */
const FEW = ["attention", "flash-attention", "attention-backward", "column-mean"] as const;

const planned = (id: string) => {
  const { text, sizes, options, granularity } = examples.find((each) => each.id === id)!;
  const { name, L } = sizes!;
  const large = text.replace(new RegExp(`^${name} = \\d+`, "m"), `${name} = ${L}`);
  const { naivePlan, fusedPlan } = compile(large, { ...defaultOptions, ...options, granularity, profile: measured });
  return { naive: naivePlan!, fused: fusedPlan! };
};

describe.each(FEW)("%s, large", (id) => {
  const { naive, fused } = planned(id);

  test("is priced no higher fused than naive", () => {
    expect(fused.totals.predictedMicros).toBeLessThanOrEqual(naive.totals.predictedMicros);
  });

  test("has no kernel that leaves half of the machine idle for longer than its launch", () => {
    const idle = fused.kernels.filter(
      ({ predicted, predictedMicros }) =>
        predicted.occupancy.workgroups < 1 / 2 && predictedMicros - predicted.launchMicros > 2 * predicted.launchMicros,
    );
    expect(idle.map(({ name }) => name)).toEqual([]);
  });
});

const [COUNT, SEED] = (process.env["CARD_LAWS"] ?? "4:20261125").split(":").map(Number) as [number, number];

/** Some of the programs that nobody tuned for; all of them in a soak. */
const some = fc
  .sample(fc.shuffledSubarray([...untuned], { minLength: Math.min(COUNT, untuned.length) }), {
    seed: SEED,
    numRuns: 1,
  })[0]!
  .slice(0, COUNT);

test.each(some)("$name is priced no higher fused than naive", ({ text }) => {
  const { naivePlan, fusedPlan } = compile(text, { ...defaultOptions, profile: measured });
  expect(fusedPlan!.totals.predictedMicros).toBeLessThanOrEqual(naivePlan!.totals.predictedMicros);
});
