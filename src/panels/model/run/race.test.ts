import fc from "fast-check";
import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { notesOf } from "./race-words";
import { laneAt, raceOf, raceTimes, ticksOf, type Race } from "./race";

const texts = [
  "x: f32[2048, 768]\nw: f32[768]\ny = gelu(layer_norm(x, w, w))",
  "x: f32[64, 64]\ny = log(relu(x))",
  "a: f32[256, 256]\nb: f32[256, 256]\ny = relu(a @ b) + a",
];
const planned = (text: string) => {
  const { naivePlan, fusedPlan } = compile(text, defaultOptions);
  return { naive: naivePlan!, fused: fusedPlan! };
};

/** A run with these medians: of both plans, and of each kernel of either where there are any. */
function runOf(plans: ReturnType<typeof planned>, whole: readonly [number, number], share: number | null): FinishedRun {
  const timings = (["naive", "fused"] as const).flatMap((plan, i) => {
    const { kernels } = plans[plan];
    const alone =
      share === null ? [] : kernels.map(({ id }) => ({ kernel: id, micros: (whole[i]! * share) / kernels.length }));
    return [{ kernel: null, micros: whole[i]! }, ...alone].map(({ kernel, micros }) => ({
      plan,
      kernel,
      nanoseconds: [micros * 1e3],
      repeats: 1,
    }));
  });
  return {
    plans: { ...plans, step: null },
    result: { timings, device: { name: "gpu", software: false } },
  } as unknown as FinishedRun;
}

function expectWhole({ lanes, end }: Race): void {
  for (const lane of lanes) {
    let at = 0;
    for (const { launch, from, to } of lane.kernels) {
      expect(launch).toBeCloseTo(at, 6);
      expect(from).toBeGreaterThanOrEqual(launch);
      expect(to).toBeGreaterThanOrEqual(from);
      at = to;
    }
    expect(lane.end).toBeCloseTo(at, 6);
    expect(lane.end).toBeLessThanOrEqual(end);
    const moved = Array.from({ length: 41 }, (_, i) => laneAt(lane, (lane.end * i) / 40).moved);
    expect(moved).toEqual(moved.toSorted((a, b) => a - b));
    expect(laneAt(lane, lane.end).moved).toBe(lane.bytes);
  }
}

test.each(texts)(
  "without a run a race is the prediction: ends, launches and bytes are those of the plans (%#)",
  (text) => {
    const plans = planned(text);
    const race = raceOf(plans, null, defaultOptions.profile);
    expectWhole(race);
    expect(race.source).toMatchObject({ kind: "predicted", profile: "generic" });
    for (const lane of race.lanes) {
      const { kernels, totals } = plans[lane.name];
      const sum = kernels.reduce((all, each) => all + each.predictedMicros, 0);
      expect(lane.end).toBeCloseTo(sum, 6);
      expect(lane.bytes).toBe(totals.bytes);
      expect(lane.kernels.map(({ from, launch }) => from - launch)).toEqual(
        kernels.map(({ predicted }) => expect.closeTo(predicted.launchMicros, 6)),
      );
    }
  },
);

test("a run's race ends when the run did, whether its kernels were timed, too, or not, or took longer by themselves", () => {
  const plans = planned(texts[0]!);
  const times = fc.tuple(fc.double({ min: 1, max: 1e5, noNaN: true }), fc.double({ min: 1, max: 1e5, noNaN: true }));
  fc.assert(
    fc.property(times, fc.constantFrom(null, 0.2, 0.9, 1.5), (whole, share) => {
      const race = raceOf(plans, runOf(plans, whole, share), defaultOptions.profile);
      expect(race.source).toMatchObject({ kind: "measured", device: "gpu", software: false });
      expectWhole(race);
      race.lanes.forEach((lane, i) => expect(lane.end).toBeCloseTo(whole[i]!, 3));
    }),
  );
});

test("a gap is what a launch was measured at, and nothing where none was; the rest of a run is shared by its kernels", () => {
  const plans = planned(texts[0]!);
  for (const share of [null, 0.2, 0.9, 1.5])
    for (const launchMicros of [10, null]) {
      const run = runOf(plans, [50_000, 60_000], share);
      const roofs = launchMicros === null ? null : { launchMicros };
      const race = raceOf(plans, { ...run, result: { ...run.result, roofs } as never }, defaultOptions.profile);
      for (const { kernels } of race.lanes)
        for (const { launch, from } of kernels) expect(from - launch).toBeCloseTo(launchMicros ?? 0, 6);
      const notes =
        share === null ? [/as predicted/] : [/the kernels took [\d.]+ ms \(naive\) and [\d.]+ ms \(fused\)\.$/];
      // One sample each, a sixth apart.
      expect(notesOf(race)).toEqual([/^No difference/, ...notes].map((each) => expect.stringMatching(each)));
    }
});

test("the axis has a few round times up to the end", () => {
  expect(ticksOf(423)).toEqual([0, 100, 200, 300, 400]);
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 1e9, noNaN: true }), (end) => {
      const ticks = ticksOf(end);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThan(8);
      expect(ticks.at(-1)).toBeLessThanOrEqual(end * (1 + 1e-9));
    }),
  );
});

test("both lanes are told in one unit", () => {
  const end = (micros: number) => ({ end: micros }) as Race["lanes"][number];
  const say = raceTimes({ lanes: [end(10_500), end(4240)] });
  expect([say(10_500), say(4240)]).toEqual(["10.5 ms", "4.24 ms"]);
});
