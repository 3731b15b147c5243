import { expect, test } from "vitest";
import type { Plan } from "../fusion";
import { createSession } from "./session";
import { median } from "./stopwatch";
import { teach } from "./testing/behaviours";
import { FakeGpu } from "./testing/fake-gpu";
import type { Faults } from "./testing/fake-gpu";
import { expected, fusedPlan, inputsFor, naivePlan } from "./testing/plans";
import type { BenchProgress, BenchResult } from "./types";

const N = 64;
const plans = { naive: naivePlan(N), fused: fusedPlan(N) };

function start(faults: Faults = {}) {
  const fake = teach(new FakeGpu(faults));
  return { fake, session: createSession(fake.gpu, fake.time.env) };
}

const middle = (result: BenchResult, plan: string, kernel: string | null): number =>
  median(result.timings.find((timing) => timing.plan === plan && timing.kernel === kernel)!.nanoseconds);

const costs = (name: string): number => ({ add: 40_000, relu_mul: 25_000, fused: 30_000 })[name] ?? 2000;

/** A plan that moves 1 MiB, whatever it computes. */
const busy = (plan: Plan): Plan => ({ ...plan, totals: { ...plan.totals, bytes: 2 ** 20 } });

test.each([1, 65_536])("medians are right to a fiftieth when the clock steps by %i ns", async (tickNanos) => {
  const { fake, session } = start({ tickNanos });
  fake.cost = costs;
  const answer = await session.bench(plans, inputsFor(N));
  if (!answer.ok) throw new Error(answer.problem.text);
  const { value } = answer;
  expect(value.timings.map(({ plan, kernel }) => `${plan} ${kernel}`)).toEqual([
    "naive null",
    "fused null",
    "naive K1",
    "naive K2",
    "fused K1",
  ]);
  const near = (got: number, want: number) => expect(Math.abs(got / want - 1)).toBeLessThan(0.02);
  near(middle(value, "naive", null), 65_000);
  near(middle(value, "fused", null), 30_000);
  near(middle(value, "naive", "K1"), 40_000);
  near(middle(value, "naive", "K2"), 25_000);
  for (const { nanoseconds } of value.timings) {
    expect(nanoseconds.length).toBeGreaterThanOrEqual(7);
    expect(Math.min(...nanoseconds)).toBeGreaterThan(0); // no 0 shown as a time
  }
  expect(value.stopped).toBe(false);
  expect(value.roofs!.launchMicros).toBeCloseTo(2, 1);
});

test("roofs that a plan was faster than are measured again in the next run, and the higher ones count", async () => {
  const { fake, session } = start();
  const bandwidths: number[] = [];
  // The memory is busy with something else during the first run.
  for (const copying of [4e9, 4e6, 8e6, 4e6]) {
    fake.cost = (name) => (name === "copy" ? copying : costs(name));
    const answer = await session.bench({ naive: busy(naivePlan(N)), fused: busy(fusedPlan(N)) }, inputsFor(N));
    if (!answer.ok) throw new Error(answer.problem.text);
    bandwidths.push(answer.value.roofs!.bandwidth);
  }
  const [first, ...later] = bandwidths.map((each) => Math.round(each / bandwidths[0]!));
  expect([first, ...later]).toEqual([1, 1000, 1000, 1000]);
});

test("without timestamps the queue is timed, less an empty pass", async () => {
  const { fake, session } = start({ noTimestamps: true });
  fake.cost = costs;
  const answer = await session.bench(plans, inputsFor(N));
  if (!answer.ok) throw new Error(answer.problem.text);
  expect(answer.value.device.clock).toBe("queue-wait");
  expect(Math.abs(middle(answer.value, "naive", null) / 65_000 - 1)).toBeLessThan(0.02);
});

test("outputs of both plans come with the timings, from before the rounds", async () => {
  const { fake, session } = start();
  const answer = await session.bench(plans, inputsFor(N));
  const outputs = answer.ok ? answer.value.outputs : [];
  expect(outputs.map(({ plan, value }) => `${plan} ${value}`)).toEqual(["naive y", "fused y"]);
  for (const { data } of outputs) expect(data).toEqual(expected(N));
  expect([session.ledgerBytes, fake.alive]).toEqual([0, 0]);
});

test("no submit is longer than 50 ms but where one kernel is", async () => {
  const { fake, session } = start();
  fake.cost = (name) => ({ add: 30e6, relu_mul: 45e6, fused: 20e6 })[name] ?? 2000;
  const answer = await session.bench(plans, inputsFor(N), { budgetMillis: 2000 });
  if (!answer.ok) throw new Error(answer.problem.text);
  // The very first pass of a whole plan is timed in one piece; nothing is known of it before.
  expect(fake.longestSubmitNanos).toBeLessThan(80e6);
  expect(Math.abs(middle(answer.value, "naive", null) / 75e6 - 1)).toBeLessThan(0.02);
});

test("Cancel keeps the samples so far", async () => {
  const { fake, session } = start();
  fake.cost = costs;
  const stop = new AbortController();
  const seen: BenchProgress[] = [];
  const onProgress = (progress: BenchProgress) => {
    seen.push(progress);
    if (/repeat/.test(progress.text) && seen.length > 12) stop.abort();
  };
  const answer = await session.bench(plans, inputsFor(N), { signal: stop.signal, onProgress });
  if (!answer.ok) throw new Error(answer.problem.text);
  expect(answer.value.stopped).toBe(true);
  expect(answer.value.timings.length).toBeGreaterThan(0);
  expect(session.ledgerBytes).toBe(0);
});

test("Cancel before the first sample is an answer of its own, and quick", async () => {
  const { session } = start();
  const stop = new AbortController();
  stop.abort();
  expect(await session.bench(plans, inputsFor(N), { signal: stop.signal })).toMatchObject({
    problem: { code: "cancelled" },
  });
});

test("progress only rises and says what runs", async () => {
  const { fake, session } = start();
  fake.cost = costs;
  const seen: BenchProgress[] = [];
  await session.bench(plans, inputsFor(N), { onProgress: (progress) => seen.push(progress) });
  expect(seen.every(({ fraction }, i) => i === 0 || fraction >= seen[i - 1]!.fraction)).toBe(true);
  expect(seen.some(({ text }) => /^Running naive, repeat \d+ of \d+$/.test(text))).toBe(true);
  expect(seen.at(-1)!.fraction).toBeLessThanOrEqual(1);
});

test("a loss in the middle of the rounds gives no numbers", async () => {
  const { fake, session } = start();
  fake.cost = costs;
  await session.describe();
  fake.faults.loseAtSubmit = fake.submits + 20;
  expect(await session.bench(plans, inputsFor(N))).toMatchObject({ problem: { code: "device-lost" } });
  expect(session.ledgerBytes).toBe(0);
});

test("what is handed over is not finished: one run of each plan is timed both ways, where a submit holds it", async () => {
  const { fake, session } = start();
  fake.cost = costs;
  const answer = await session.bench(plans, inputsFor(N));
  if (!answer.ok) throw new Error(answer.problem.text);
  const { naive, fused } = answer.value.twoStops;
  expect(naive!.finished).toBeCloseTo(0.065, 6);
  expect(fused!.finished).toBeCloseTo(0.03, 6);
  expect(naive!.handedOver).toBeLessThanOrEqual(naive!.finished);
  fake.cost = () => 80e6;
  const long = await session.bench(plans, inputsFor(N));
  if (!long.ok) throw new Error(long.problem.text);
  expect(long.value.twoStops).toEqual({});
});

test("plans that are timed while clocks rise are timed again", async () => {
  for (const riseMillis of [200, 900]) {
    const { fake, session } = start();
    const from = fake.time.millis;
    // Idle clocks: everything takes 3.5 times as long at first.
    fake.cost = (name) =>
      (({ add: 3e6, relu_mul: 2e6, fused: 4e6 })[name] ?? 2000) * (fake.time.millis - from < riseMillis ? 3.5 : 1);
    const answer = await session.bench(plans, inputsFor(N), { budgetMillis: 500, roofs: false });
    if (!answer.ok) throw new Error(answer.problem.text);
    expect(Math.abs(middle(answer.value, "naive", null) / 5e6 - 1)).toBeLessThan(0.02);
    expect(Math.abs(middle(answer.value, "fused", null) / 4e6 - 1)).toBeLessThan(0.02);
  }
});
