import { expect, test } from "vitest";
import { compile, defaultOptions, savedSheet } from "../../../fusion";
import { axisEnds, expansionSentence, isChosen, leastSentence, rowTitle, savedPoints } from "./saved";

const text =
  "x: f32[256, 256]\nw: f32[256, 256] = param()\nh = x\nfor i in range(4):\n    h = gelu(h @ w)\nloss = sum(h)\nloss.backward()\nreturn loss, w.grad\n";
const sheet = savedSheet(compile(text, defaultOptions))!;

test("every plan is a point, the best ones are not beaten by any other", () => {
  const points = savedPoints(sheet);
  expect(points.length).toBe(sheet.rows.length);
  const best = points.filter((point) => point.best).toSorted((a, b) => a.x - b.x);
  expect(best.length).toBeGreaterThan(0);
  best.slice(1).forEach(({ y }, i) => expect(y).toBeLessThanOrEqual(best[i]!.y));
});

test("only plans that ran are points by what they took", () => {
  const savedValues = { apart: true, policy: "cut", choices: {} } as const;
  const points = savedPoints(sheet, [
    { text, savedValues, nanoseconds: [9e3, 12e3, 13e3] },
    { text, savedValues: undefined, nanoseconds: [7e3] },
  ]);
  expect(points.map(({ row, micros }) => [row.policy, micros])).toEqual([
    [null, 7],
    ["cut", 12],
  ]);
});

test("titles are distinct, and one of them is chosen by default", () => {
  const titles = sheet.rows.map(rowTitle);
  expect(new Set(titles).size).toBe(titles.length);
  expect(sheet.rows.filter((row) => isChosen(row, undefined)).map(({ policy }) => policy)).toEqual([null]);
  const stored = sheet.rows.filter((row) => isChosen(row, { apart: true, choices: {} }));
  expect(stored.map(({ policy }) => policy)).toEqual(["stored"]);
});

test("the sentence counts what was made of what, as the score does", () => {
  expect(expansionSentence(sheet.expansion)).toMatch(
    /^Differentiation turns 9 ops into \d+; fusion turns \d+ kernels into \d+\.$/,
  );
  // A sum over several workgroups is launched twice.
  const split = compile(
    "x: f32[4096, 64]\nw: f32[64] = param()\nloss = sum((x * w) ** 2)\nloss.backward()\nreturn loss, w.grad\n",
    defaultOptions,
  );
  const counted = [split.naivePlan, split.fusedPlan].map((plan) => plan!.totals.kernels);
  const { both, fused } = savedSheet(split)!.expansion;
  expect([both.kernels, fused.kernels]).toEqual(counted);
});

test("an axis along which nothing differs has one label, in its middle", () => {
  const show = (value: number): string => value.toFixed(1);
  expect(axisEnds([3, 1, 2], show)).toEqual([
    { text: "1.0", share: 0 },
    { text: "3.0", share: 1 },
  ]);
  expect(axisEnds([1.01, 1.02], show)).toEqual([{ text: "1.0", share: 0.5 }]);
  expect(leastSentence({ leastBytes: null })).toBeNull();
  expect(leastSentence({ leastBytes: 2 ** 19 })).toBe(
    "By min-cut at least 512 KiB are saved, so smaller budgets are not offered.",
  );
});

test("plans whose peaks read alike stand above one another", () => {
  const [first, ...others] = sheet.rows;
  const rows = [first!, ...others].map((row, i) => ({ ...row, totals: { ...row.totals, peakBytes: 50_855_936 + i } }));
  expect(new Set(savedPoints({ rows }).map(({ x }) => x))).toEqual(new Set([0.5]));
});
