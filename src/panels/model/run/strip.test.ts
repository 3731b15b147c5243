import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { stripsOf, stripWords } from "./strip";

const compilation = compile("x: f32[64, 64]\ny = log(relu(x + 1))\n", defaultOptions);
const plans = { naive: compilation.naivePlan!, step: null, fused: compilation.fusedPlan! };

const run = (...timings: readonly (readonly [plan: string, kernel: string, micros: number])[]): FinishedRun =>
  ({
    plans,
    result: {
      timings: timings.map(([plan, kernel, micros]) => ({ plan, kernel, nanoseconds: [micros * 1e3], repeats: 1 })),
    },
  }) as unknown as FinishedRun;

test("kernels stand in the order in which they run, on the scale of the longest plan", () => {
  const strips = stripsOf(run(["naive", "K1", 10], ["naive", "K2", 20], ["naive", "K3", 10], ["fused", "K1", 16]));
  expect(strips.map(({ title, total }) => `${title} ${total}`)).toEqual(["naive 40 µs", "fused 16 µs"]);
  expect(strips[0]!.parts.map(({ kernel, from, width }) => [kernel, from, width])).toEqual([
    ["K1", 0, 0.25],
    ["K2", 0.25, 0.5],
    ["K3", 0.75, 0.25],
  ]);
  expect(strips[1]!.parts[0]).toMatchObject({ from: 0, width: 0.4 });
  expect(strips[1]!.parts[0]!.text).toMatch(/^K1 .*: 16 µs$/);
  expect(stripWords(strips)).toBe("Kernels one after the other: naive 3 kernels, 40 µs; fused 1 kernel, 16 µs");
});

test("a plan with a kernel that was not timed has no strip", () => {
  expect(stripsOf(run(["naive", "K1", 10], ["fused", "K1", 16])).map(({ plan }) => plan)).toEqual(["fused"]);
  expect(stripsOf(run())).toEqual([]);
});
