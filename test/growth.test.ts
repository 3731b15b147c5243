import { expect, test } from "vitest";
import { defaultOptions } from "../src/fusion";
import { findExample } from "../src/lessons";
import { answerCompile } from "../src/workers/compile-answers";
import { exponentOf, growthCurves, growthSentence } from "../src/panels/model/plan/growth";

function rowsOf(example: string, values: readonly number[]) {
  const text = findExample(example)!.text;
  const reply = answerCompile({ kind: "sizes", text, options: defaultOptions, name: "N", values });
  return reply.kind === "sizes" ? reply.rows : [];
}

test("attention: the naive plan's memory grows as the square, the fused one's as N", () => {
  const rows = rowsOf("attention", [256, 1024, 4096, 8192]);
  expect(rows.map(({ value }) => value)).toEqual([256, 1024, 4096, 8192]);
  expect(exponentOf(rows, "naive")).toBeGreaterThan(1.9);
  expect(exponentOf(rows, "fused")).toBeCloseTo(1, 6);
  const [naive, fused] = growthCurves(rows);
  expect([naive!.points[0]![0], naive!.points.at(-1)]).toEqual([0, [1, 1]]);
  expect(fused!.points.at(-1)![1]).toBeLessThan(1);
  expect(growthSentence(rows, "N")).toMatch(
    /^At N = 8,192 the naive plan holds .+ MiB and grows like N\^1\.9\d; the fused one .+ MiB, like N\^1\.$/,
  );
});

test("sizes that can't be set are left out, one size makes no curve", () => {
  expect(rowsOf("mish", [0.5])).toEqual([]);
  expect(growthCurves(rowsOf("attention", [256]))).toEqual([]);
});
