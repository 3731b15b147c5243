import { expect, test } from "vitest";
import type { Dispatch } from "./memory";
import { done } from "./problem";
import { kernelRounds, subject } from "./rounds";
import type { Stopwatch } from "./stopwatch";

test("a kernel that runs only after others takes what is left of the time of all", async () => {
  const nanos = [500_000, 300_000, 200_000];
  const dispatches = nanos.map((each) => ({ nanos: each }) as unknown as Dispatch);
  const watch = {
    time: (passes: Parameters<Stopwatch["time"]>[0]) =>
      Promise.resolve(
        done(
          passes.map(({ dispatches: of, repeats }) =>
            of.reduce((sum, each) => sum + repeats * (each as unknown as { nanos: number }).nanos, 0),
          ),
        ),
      ),
  } as unknown as Stopwatch;
  const first = subject("fused", "K1", [dispatches[0]!]);
  const second = subject("fused", "K2", [...first.dispatches, dispatches[1]!], first);
  const third = subject("fused", "K3", [...second.dispatches, dispatches[2]!], second);
  let now = 0;
  const limits = { signal: undefined, now: () => (now += 1), millis: 50, onStep: () => {} };
  expect(await kernelRounds(watch, [first, second, third], 1000, limits)).toEqual(done(null));
  for (const [i, { samples }] of [first, second, third].entries()) {
    expect(samples.length).toBeGreaterThan(2);
    expect(samples.every((each) => Math.abs(each - nanos[i]!) < 1)).toBe(true);
  }
});
