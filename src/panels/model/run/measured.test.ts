import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, planForTarget, targetOf, type Compilation } from "../../../fusion";
import { isRunOf, type FinishedRun } from "../../../state";
import { countedRows, measuredView, scheduleNote } from "./measured";
import { measuredScore } from "./measured-score";
import { timeRows } from "./timings";

test("the transfers beside an earlier run's times are those of its own plans", () => {
  const rowsOf = ({ naivePlan, fusedPlan }: Compilation) => [
    ["naive", naivePlan],
    ["fused", fusedPlan],
  ];
  const plansOf = ({ naivePlan, fusedPlan }: Compilation) => ({ naive: naivePlan!, step: null, fused: fusedPlan! });
  const text = "x: f32[64]\ny = relu(exp(x))\n";
  const ran = compile(text, defaultOptions);
  const run = { text, plans: plansOf(ran), planned: plansOf(ran) };
  const others = [
    compile("x: f32[64]\ny = relu(x)\n", defaultOptions),
    // The same program, planned in other kernels.
    compile(text, { ...defaultOptions, level: 0 }),
  ];
  for (const now of others) expect(countedRows(plansOf(now), now, run)).toEqual(rowsOf(ran));
  const again = compile(text, defaultOptions);
  expect(countedRows(plansOf(again), again, run)).toEqual(rowsOf(again));
  expect(countedRows(plansOf(ran), ran, null)).toEqual(rowsOf(ran));
});

test("times are those of the plans that ran: not after an option made others of the program, and again once it is set back", () => {
  const text = "x: f32[64, 256]\ny = softmax(relu(x), dim=-1)\n";
  const ran = compile(text, defaultOptions);
  const planned = { naive: ran.naivePlan!, step: null, fused: ran.fusedPlan! };
  const run = { text, planned };
  expect(isRunOf(run, ran)).toBe(true);
  for (const changed of [{ level: 0 }, { granularity: "primitive" }] as const)
    expect(isRunOf(run, compile(text, { ...defaultOptions, ...changed }))).toBe(false);
  expect(isRunOf(run, compile(text, { ...defaultOptions }))).toBe(true);
  expect(isRunOf(run, null)).toBe(false);
});

test("the transfers of a run, and its note, are the same after another program is opened", () => {
  const text = "x: f32[64, 256]\ny = softmax(x, dim=-1)\n";
  const [compilation, other] = [compile(text, defaultOptions), compile("a: f32[8]\nb = exp(a)\n", defaultOptions)];
  const target = { ...targetOf(defaultOptions.profile), schedule: "cpu" } as const;
  const here = (cursor: number) => planForTarget(fusionAt(compilation, cursor), target, defaultOptions);
  const planned = { naive: compilation.naivePlan!, step: null, fused: compilation.fusedPlan! };
  const run = { text, plans: { naive: here(0), step: null, fused: here(compilation.steps.length) }, planned };
  const later = { naive: other.naivePlan!, step: null, fused: other.fusedPlan! };
  const note = scheduleNote(compilation, run);
  expect(note).toMatch(/^As run on this device: naive \d, fused \d full-size transfers\. /);
  expect(scheduleNote(other, run)).toBe(note);
  expect(countedRows(later, other, run)).toEqual(countedRows(planned, compilation, run));
});

test("the time of the step that ran is told at that step alone", () => {
  const text = "x: f32[64, 256]\ny = softmax(relu(exp(x)), dim=-1)\n";
  const compilation = compile(text, { ...defaultOptions, granularity: "primitive" });
  const last = compilation.steps.length;
  expect(last).toBeGreaterThan(2);
  const step = planForTarget(fusionAt(compilation, 1), targetOf(defaultOptions.profile), defaultOptions);
  const plans = { naive: compilation.naivePlan!, step, fused: compilation.fusedPlan! };
  const timings = ["naive", "step", "fused"].map((plan) => ({ plan, kernel: null, nanoseconds: [1e4], repeats: 1 }));
  const result = { device: { software: false }, timings, stopped: false };
  const finished = { text, plans, planned: { ...plans, cursor: 1 }, result, check: [], predictedFor: null };
  const run = { status: "done", run: finished as unknown as FinishedRun } as const;
  const document = { text } as Parameters<typeof measuredView>[0]["document"];
  for (let cursor = 0; cursor <= last; cursor++) {
    const view = measuredView({ run, document, compilation, cursor });
    expect(timeRows(view.run!).some(({ plan }) => plan === "step")).toBe(cursor === 1);
    const now = measuredScore(run, text, compilation, cursor, last)!.values[1];
    expect(now === "–").toBe(cursor > 1 && cursor < last);
  }
});
