import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { stripsOf, stripWords } from "./strip";

const compilation = compile("x: f32[64, 64]\ny = log(relu(x + 1))\n", defaultOptions);
const plans = { naive: compilation.naivePlan!, step: null, fused: compilation.fusedPlan! };

const run = (...timings: readonly (readonly [plan: string, kernel: string | null, micros: number])[]): FinishedRun =>
  ({
    plans,
    result: {
      timings: timings.map(([plan, kernel, micros]) => ({ plan, kernel, nanoseconds: [micros * 1e3], repeats: 1 })),
    },
  }) as unknown as FinishedRun;

test("kernels stand in the order in which they run, on the scale of the longest plan", () => {
  const kernels = [
    ["naive", "K1", 10],
    ["naive", "K2", 20],
    ["naive", "K3", 10],
    ["fused", "K1", 16],
  ] as const;
  const strips = stripsOf(run(["naive", null, 40], ["fused", null, 16], ...kernels));
  const { rows } = strips;
  expect(strips.note).toBeNull();
  expect(rows.map(({ title, total }) => `${title} ${total}`)).toEqual(["naive 40 µs", "fused 16 µs"]);
  expect(rows[0]!.parts.map(({ kernel, from, width }) => [kernel, from, width])).toEqual([
    ["K1", 0, 0.25],
    ["K2", 0.25, 0.5],
    ["K3", 0.75, 0.25],
  ]);
  expect(rows[1]!.parts[0]).toMatchObject({ from: 0, width: 0.4 });
  expect(rows[1]!.parts[0]!.text).toMatch(/^K1 .*: 16 µs by itself$/);
  expect(stripWords(strips)).toBe("Kernels one after the other: naive 3 kernels, 40 µs; fused 1 kernel, 16 µs");
  // Kernels that took less by themselves are drawn to the time of the run, which is what is told.
  const slower = stripsOf(run(["naive", null, 80], ["fused", null, 64], ...kernels));
  expect(slower.rows.map(({ total }) => total)).toEqual(["80 µs", "64 µs"]);
  expect(slower.rows[1]!.parts[0]).toMatchObject({ from: 0, width: 0.8 });
  expect(slower.note).toBe(
    "Drawn to the time of the whole run; timed by themselves, the kernels took 40 µs (naive) and 16 µs (fused).",
  );
});

test("a plan with a kernel that was not timed has no strip", () => {
  const whole = [
    ["naive", null, 40],
    ["fused", null, 16],
  ] as const;
  const { rows } = stripsOf(run(...whole, ["naive", "K1", 10], ["fused", "K1", 16]));
  expect(rows.map(({ plan }) => plan)).toEqual(["fused"]);
  expect(stripsOf(run())).toEqual({ rows: [], note: null });
});
