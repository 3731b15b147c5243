/**
 * @file Rows of nothing but −∞, +∞ or NaN, as masks make them: maxima, minima, their indices and what is folded below a maximum answer
 * as the reference does, on every schedule; logsumexp of nothing but −∞ is −∞, and what is written out is no number, as in PyTorch.
 */
import { expect, test } from "vitest";
import { planFusion, runPlanOnCpu } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { runReference } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { cpu, dataOf, gpu, graphOf, oneRegion } from "./kernel-harness";

/** A product whose columns are as infinite as x. */
const product = "x: f32[90]\nz = ones([40, 20]) @ ones([20, 90]) - 20.0 + x";

const programs: readonly (readonly [name: string, text: string])[] = [
  ["rows of a workgroup", "x: f32[4, 300]\ny = x.max(dim=1)\nz = x.min(dim=1)\nreturn y, z"],
  ["odd rows", "x: f32[4, 37]\ny = x.max(dim=1)"],
  ["short rows", "x: f32[4, 5]\ny = x.min(dim=1)"],
  ["columns", "x: f32[31, 4]\ny = x.max(dim=0)"],
  ["split rows", "x: f32[2, 40000]\ny = x.max(dim=1)"],
  ["positions", "x: f32[4, 37]\ny = x.argmax(dim=1)"],
  ["positions in short rows, least first", "x: f32[40, 8]\ny = x.argmin(dim=1)"],
  ["positions in columns", "x: f32[31, 4]\ny = x.argmin(dim=0)\nz = x.argmax(dim=0)\nreturn y, z"],
  ["positions in rows of a workgroup", "x: f32[4, 300]\ny = x.argmax(dim=1)"],
  ["logsumexp", "x: f32[4, 37]\ny = logsumexp(x, dim=1, keepdim=True)"],
  ["logsumexp of long rows", "x: f32[4, 300]\ny = logsumexp(x, dim=1, keepdim=True)"],
  ["logsumexp of split rows", "x: f32[2, 40000]\ny = logsumexp(x, dim=1, keepdim=True)"],
  ["sums below the maximum, written out", "x: f32[4, 300]\nm = x.max(dim=1, keepdim=True)\ny = exp(x - m).sum(dim=1)"],
  ["split sums below the maximum", "x: f32[2, 40000]\nm = x.max(dim=1, keepdim=True)\ny = exp(x - m).sum(dim=1)"],
  ["softmax", "x: f32[4, 300]\ny = softmax(x, dim=1)"],
  ["log_softmax", "x: f32[4, 37]\ny = log_softmax(x, dim=1)"],
  ["logsumexp of a product", `${product}\ny = logsumexp(z, dim=-1, keepdim=True)`],
  ["logsumexp of a product's columns", `${product}\ny = logsumexp(z, dim=0, keepdim=True)`],
  [
    "logsumexp of a small product",
    "x: f32[5]\nz = ones([6, 3]) @ ones([3, 5]) - 3.0 + x\ny = logsumexp(z, dim=-1, keepdim=True)",
  ],
  ["sums of a product below their maximum", `${product}\ny = exp(z - z.max(dim=-1, keepdim=True)).sum(dim=-1)`],
  [
    "attention",
    `${product}\ne = exp(z - z.max(dim=-1, keepdim=True))\ny = (e @ ones([90, 16])) / e.sum(dim=-1, keepdim=True)`,
  ],
  [
    "attention that is masked afterwards",
    `${product}\nm = z.max(dim=-1, keepdim=True)\ne = where(z < 0.0, 0.0, exp(z - m))\ny = (e @ ones([90, 16])) + e.sum(dim=-1, keepdim=True)`,
  ],
  [
    "sums of a product that is masked afterwards",
    `${product}\ny = where(z < 0.0, 0.0, exp(z - z.max(dim=-1, keepdim=True))).sum(dim=-1)`,
  ],
  ["attention that is not shared out", `${product}\ny = exp(z - z.max(dim=-1, keepdim=True)) @ ones([90, 16])`],
  ["halves", "x: f16[4, 37]\ny = x.max(dim=1)"],
  ["halves by fours", "x: f16[4, 32]\ny = x * 2"],
  ["halves by twos", "x: f16[5, 6]\ny = x * 2"],
];

/** Everything infinite, but for the last element; of NaN, every third. */
const fill = (length: number, value: number): Float64Array =>
  new Float64Array(length)
    .fill(value)
    .map((x, i) => (i === length - 1 ? 1 : Number.isNaN(x) && i % 3 !== 1 ? i % 7 : x));

/** Infinities, and NaN where the answer is an index: maxima may lose it. */
const valuesOf = (text: string): readonly number[] =>
  text.includes(".arg") ? [-Infinity, Infinity, Number.NaN] : [-Infinity, Infinity];

/** Infinities, NaN and whole numbers are these exactly; logarithms are rounded. */
const same = (got: ArrayLike<number>, want: ArrayLike<number>): void => {
  const [rounded, meant] = [got, want].map((data) =>
    Array.from(data, (x) => (Number.isInteger(x) ? x : Number(x.toPrecision(5)))),
  );
  expect(rounded).toEqual(meant);
};

test.each(programs)("%s", (_, text) => {
  const graph = graphOf(text);
  for (const value of valuesOf(text)) {
    const inputs = new Map([...dataOf(graph)].map(([id, data]) => [id, fill(data.length, value)]));
    const reference = runReference(graph, inputs);
    for (const target of [gpu, cpu])
      for (const precision of ["f64", "f32"] as const)
        for (const [id, got] of runPlanOnCpu(oneRegion(graph), target, generic, inputs, { precision }).outputs)
          same(got, reference.get(id)!.data);
  }
});

const device = await dawn();

test.skipIf(!device)("WebGPU says the same", async () => {
  const session = createSession(device!);
  for (const [, text] of programs) {
    const graph = graphOf(text);
    for (const value of valuesOf(text)) {
      const inputs = new Map([...dataOf(graph)].map(([id, data]) => [id, fill(data.length, value)]));
      const reference = runReference(graph, inputs);
      const answer = await session.run(planFusion(oneRegion(graph), gpu, generic), inputs);
      if (!answer.ok) throw new Error(answer.problem.text);
      for (const { value, data } of answer.value) {
        const want = reference.get(value)!.data;
        // WGSL promises no NaN where an operand is infinite: an implementation may assume that there is none.
        same(
          data.map((x, at) => (Number.isNaN(want[at]!) ? 0 : x)),
          want.map((x) => (Number.isNaN(x) ? 0 : x)),
        );
      }
    }
  }
  await session.close();
});
