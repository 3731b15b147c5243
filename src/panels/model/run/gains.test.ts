import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { gainOf, noDifference } from "./difference";
import { breakEvenOf, breakEvenSentence, launchSentence, splitOf, splitSentence, unsyncedSentence } from "./gains";

const ticking = (): (() => number) => {
  let time = 0;
  return () => (time += 2);
};
const compilation = compile("x: f32[2048, 2048]\ny = log(relu(x + 1))\n", defaultOptions, ticking());
const plans = { naive: compilation.naivePlan!, step: null, fused: compilation.fusedPlan! };

/** ns, `scatter` µs to either side. */
const samples = (micros: number, scatter: number): number[] =>
  [micros - scatter, micros, micros + scatter].map((each) => each * 1e3);

/** 64 MiB less at 64 GiB/s are 976.6 µs, two launches less 20 µs. */
const run = (
  naive: number,
  fused: number,
  pipelines: readonly [number, number] | null = [3, 5],
  scatter = 0,
): FinishedRun => ({
  text: compilation.text,
  check: null,
  predictedFor: null,
  plans,
  source: null,
  result: {
    timings: [
      { plan: "naive", kernel: null, nanoseconds: samples(naive, scatter), repeats: 1 },
      { plan: "fused", kernel: null, nanoseconds: samples(fused, scatter), repeats: 1 },
    ],
    roofs: { bandwidth: 2 ** 36, flops: 1e12, launchMicros: 10 },
    twoStops: { naive: { handedOver: 0.2, finished: 3 }, fused: { handedOver: 0.1, finished: 1.5 } },
    pipelineMillis: pipelines ? { naive: pipelines[0], fused: pipelines[1] } : {},
  } as unknown as FinishedRun["result"],
});

test("saved time is traffic, launches and the rest", () => {
  const split = splitOf(run(1500, 500))!;
  expect(split.saved).toBe(1000);
  expect(split.traffic).toBeCloseTo((64 / 65536) * 1e6, 6);
  expect(split.launches).toBe(20);
  expect(split.traffic + split.launches + split.rest).toBeCloseTo(1000, 6);
  expect(splitSentence(run(1500, 500))).toMatch(
    /^Fusing saves 1,000 µs a run, .+: it saves 977 µs of traffic, 20 µs of launches and 3.4\d* µs in the rest \(/,
  );
  expect(splitSentence(run(1500, 1600))).toMatch(
    /^Fusing costs 100 µs a run, .+: it saves 977 µs of traffic and 20 µs of launches, and loses 1,100 µs in the rest \(/,
  );
});

test("what saves the time is not told by roofs that a plan beat, nor by launches that explain more than there was", () => {
  expect(splitSentence(run(1500, 400))).toBe(
    "Fusing saves 1,100 µs a run. How much of it is traffic can't be told: a plan reached more than 100 % of the roofs measured here.",
  );
  const slow = run(1500, 500);
  const roofs = { bandwidth: 2 ** 36, flops: 1e12, launchMicros: 400 };
  expect(splitSentence({ ...slow, result: { ...slow.result, roofs } })).toMatch(
    /^Fusing saves 1,000 µs a run\. Where it comes from can't be told: .* it would be 1,780 µs, more than the naive plan takes\.$/,
  );
});

test("what fusing took is earned back after some runs, at once, or never", () => {
  const spent = compilation.millis.passes + compilation.millis.codegen + 2;
  expect(breakEvenOf(run(1500, 400), compilation)).toMatchObject({
    spentMillis: spent,
    runs: Math.ceil((spent * 1e3) / 1100),
  });
  expect(breakEvenSentence(run(1500, 400), compilation)).toMatch(/recovered after \d+ runs\.$/);
  expect(breakEvenSentence(run(1500, 400, [30, 5]), compilation)).toMatch(/before the first run\.$/);
  expect(breakEvenSentence(run(400, 500), compilation)).toMatch(/saves no time here, so this is never recovered\.$/);
});

test("of a difference within the scatter nothing is derived, whichever way it goes", () => {
  for (const [naive, fused] of [
    [53_000, 60_600],
    [94_800, 82_100],
  ] as const) {
    const noisy = run(naive, fused, [3, 5], 30_000);
    expect(noDifference(noisy)).toMatch(
      /^No difference that this run can show: naive \d+(\.\d)? ± 15 ms, fused .+ ± 15 ms\.$/,
    );
    expect([gainOf(noisy), splitOf(noisy), splitSentence(noisy)]).toEqual([null, null, null]);
    expect(breakEvenOf(noisy, compilation)).toMatchObject({ savedMicros: null, runs: null });
    expect(breakEvenSentence(noisy, compilation)).toMatch(/: this run can't show whether that is recovered\.$/);
    const steady = run(naive, fused, [3, 5], 1000);
    expect(noDifference(steady)).toBeNull();
    expect(gainOf(steady)).toBe(naive - fused);
  }
});

test("too few samples say so in place of a spread", () => {
  const { result, ...rest } = run(400, 500);
  const timings = result.timings.map((each) => ({ ...each, nanoseconds: each.nanoseconds.slice(0, 1) }));
  expect(noDifference({ ...rest, result: { ...result, timings } })).toBe(
    "No difference that this run can show: naive 400 µs, fused 500 µs, in too few samples to know how far they scatter.",
  );
});

test("nothing is said of another program, of cached pipelines or without roofs", () => {
  expect(breakEvenOf({ ...run(1500, 400), text: "other" }, compilation)).toBeNull();
  expect(breakEvenOf(run(1500, 400, null), compilation)).toBeNull();
  const blind = { ...run(1500, 400), result: { ...run(1500, 400).result, roofs: null } };
  expect([splitSentence(blind), launchSentence(blind)]).toEqual([null, null]);
  expect(launchSentence(run(1, 1))).toMatch(/^A launch takes 10 µs here/);
});

test("a clock that does not wait for the GPU is told beside one that does", () => {
  expect(unsyncedSentence(run(1500, 400))).toMatch(
    /shows naive 200 µs, finished after 3,000 µs; fused 100 µs, finished after 1,500 µs/,
  );
  const one = run(1500, 400);
  expect(unsyncedSentence({ ...one, result: { ...one.result, twoStops: {} } })).toBeNull();
});
