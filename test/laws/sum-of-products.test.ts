/** @file Contractions with a vector beside kernels that walk the same matrix: one kernel, with the reference's values. */
import { expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { wordFaults } from "./decisions";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";

const taken = (text: string, given = {}) => {
  const compilation = compiled(graphOf(text), given);
  return { compilation, steps: compilation.steps.filter(({ rule }) => rule === "sum-of-products") };
};
const vectors = (n: number, results: string): string => `x: f32[${n}]\ny: f32[${n}]\nreturn ${results}`;
const matrix = (shape: string, k: number, results: string): string =>
  `x: f32[${shape}]\nv: f32[${k}]\nreturn ${results}`;

test.each([
  ["a dot product beside a product", vectors(4096, "dot(x, y), x * y")],
  ["a dot product of 1,001 elements beside a sum and a difference", vectors(1001, "dot(x, y), x.sum(), x - y")],
  ["a matrix and a vector beside an elementwise op", matrix("60, 33", 33, "relu(x @ v), x * 2")],
  ["a batch of matrices beside the sums of its rows", matrix("3, 5, 70", 70, "x @ v, x.sum(dim=-1)")],
  ["a matrix and a vector before what reads both", matrix("60, 33", 33, "x - (x @ v).unsqueeze(1)")],
  ["beside a softmax of the rows", matrix("32, 128", 128, "x @ v + 1, softmax(x, dim=-1)")],
])("%s: one kernel, as a sum of products", (_, text) => {
  const { compilation, steps } = taken(text);
  expect(steps.filter(({ accepted }) => accepted).length).toBe(1);
  expect(steps.flatMap(wordFaults)).toEqual([]);
  const final = fusionAt(compilation, compilation.steps.length);
  expect(final.regions.size).toBe(1);
  expect([...stepFaults(compilation), ...valueFaults(compilation.drawn, final), ...trafficFaults(final)]).toEqual([]);
  for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-6)).toEqual([]);
});

test("what shares a large input with a contraction gets a verdict, whether or not one kernel can compute both", () => {
  const asked = (text: string, given = {}): readonly string[] =>
    taken(text, given).compilation.steps.map(({ rule, accepted, legal }) => `${rule} ${accepted ? "yes" : legal.code}`);
  expect(asked(vectors(4096, "dot(x, y), x * y"), { strict: true })).toEqual(["siblings L_STRICT"]);
  expect(asked("x: f32[64, 64]\nv: f32[64]\nreturn v @ x, x * 2")).toEqual(["siblings L_ROOT"]);
  expect(asked(vectors(4096, "dot(x, y), dot(x, x)"))).toEqual(["siblings L_TWO_CONTRACT"]);
});
