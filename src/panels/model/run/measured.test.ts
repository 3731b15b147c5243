import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, planForTarget, targetOf } from "../../../fusion";
import { countedRows, scheduleNote } from "./measured";

test("the transfers beside an earlier run's times are those of its own plans", () => {
  const plansOf = (text: string) => {
    const { naivePlan, fusedPlan } = compile(text, defaultOptions);
    return { naive: naivePlan!, step: null, fused: fusedPlan! };
  };
  const texts = ["x: f32[64]\ny = relu(exp(x))\n", "x: f32[64]\ny = relu(x)\n"] as const;
  const [earlier, now] = [plansOf(texts[0]), plansOf(texts[1])];
  const run = { text: texts[0], plans: earlier };
  const rowsOf = ({ naive, fused }: typeof now) => [
    ["naive", naive],
    ["fused", fused],
  ];
  expect(countedRows(now, texts[1], run)).toEqual(rowsOf(earlier));
  expect(countedRows(now, texts[0], run)).toEqual(rowsOf(now));
  expect(countedRows(now, texts[1], null)).toEqual(rowsOf(now));
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
  expect(note).toMatch(/^Counted for this device, .*: \d full-size transfers, then \d\.$/);
  expect(scheduleNote(other, run)).toBe(note);
  expect(countedRows(later, other.text, run)).toEqual(countedRows(planned, text, run));
});
