/** @file An element of each row, picked while the row goes by, beside other readers of the row: values, counts, and when it is gathered. */
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { wordFaults } from "./decisions";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";

const ROWS = "x: f32[40, 96]\nt: i32[40, 1]\np = log_softmax(x, dim=-1)\nn = gather_elements(p, t, axis=1)\n";

const picked = (text: string) => {
  const compilation = compiled(graphOf(ROWS + text));
  return { compilation, steps: compilation.steps.filter(({ pass }) => pass === "row-picks") };
};

describe.each([
  ["alone", "y = -n"],
  ["beside a mean of the row", "y = 0.9 * n + 0.1 * mean(p, dim=-1, keepdim=True)"],
  [
    "beside two folds of what follows from the row",
    "y = n - sum(exp(p) * p, dim=-1, keepdim=True) * max(p, dim=-1, keepdim=True)",
  ],
])("%s", (_, text) => {
  test("is found in the kernel of the rows, which are not stored", () => {
    const { compilation, steps } = picked(text);
    expect(steps.map(({ accepted }) => accepted)).toEqual([true]);
    expect(stepFaults(compilation)).toEqual([]);
    expect(steps.flatMap(wordFaults)).toEqual([]);
    const final = fusionAt(compilation, compilation.steps.length);
    expect([...final.regions.values()].flatMap(({ outputs }) => outputs)).not.toContain("p");
    expect(valueFaults(compilation.drawn, final)).toEqual([]);
    expect(trafficFaults(final)).toEqual([]);
    for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-9)).toEqual([]);
  });
});

test.each([
  ["the rows are a result", "return n, p"],
  ["a matmul reads the rows", "w: f32[96, 8]\nreturn n, p @ w"],
  ["somebody folds them the other way", "return n, sum(p, dim=0)"],
])("%s: they are stored, and the element is gathered", (_, text) => {
  expect(picked(text).steps.filter(({ accepted }) => accepted)).toEqual([]);
});
