/** @file Values of a row leave sums over it where long rows are then read once: which sums, how often rows are read, and the values. */
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { totalsOf } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { wordFaults } from "./decisions";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";

const ROWS = "x: f32[6, 20000]\nt: i32[6]\n";

const readOnce = (text: string, strict = false) => {
  const compilation = compiled(graphOf(ROWS + text), strict ? { strict } : {});
  return { compilation, steps: compilation.steps.filter(({ pass }) => pass === "read-once") };
};

/** Bytes that the final plan moves, in those of `x`. */
const timesMoved = (compilation: ReturnType<typeof compiled>): number =>
  totalsOf(fusionAt(compilation, compilation.steps.length), compilation.options.profile).bytes / (4 * 6 * 20000);

describe.each([
  ["a cross-entropy", "y = cross_entropy(x, t)"],
  ["with smoothed labels", "y = cross_entropy(x, t, label_smoothing=0.1)"],
  ["one log-probability a row", "y = gather_elements(log_softmax(x, dim=-1), t.unsqueeze(1), axis=1)"],
  ["a weighted sum of log-probabilities", "w: f32[20000]\ny = sum(log_softmax(x, dim=-1) * w, dim=-1)"],
])("%s", (_, text) => {
  test("takes one walk over the rows", () => {
    const { compilation, steps } = readOnce(text);
    expect(steps.map(({ accepted }) => accepted)).toEqual([true]);
    expect(stepFaults(compilation)).toEqual([]);
    expect(steps.flatMap(wordFaults)).toEqual([]);
    const final = fusionAt(compilation, compilation.steps.length);
    expect(timesMoved(compilation)).toBeLessThan(1.4);
    expect(valueFaults(compilation.drawn, final)).toEqual([]);
    expect(trafficFaults(final)).toEqual([]);
    for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-9)).toEqual([]);
  });

  test("strict mode keeps the sum as it is written", () => {
    expect(readOnce(text, true).steps.filter(({ accepted }) => accepted)).toEqual([]);
  });
});

test.each([
  ["the rows are stored, too", "p = log_softmax(x, dim=-1)\nreturn p, sum(p, dim=-1)"],
  ["the row's value is not linear in it", "y = sum((x - max(x, dim=-1, keepdim=True)) ** 2, dim=-1)"],
  ["the rows stay in registers", "z = x[:, :64]\ny = sum(log_softmax(z, dim=-1), dim=-1)"],
])("%s: nothing leaves the sum", (_, text) => {
  expect(readOnce(text).steps).toEqual([]);
});
