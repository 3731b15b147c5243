/** @file Gradients of elements that are picked from rows by data: compared index by index within their rows, never over the whole tensor. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import { graphOf } from "./kernel-harness";
import { compiled, stepFaults, valueFaults } from "./pass-harness";

/** Σ weight · element of each row of `x` at indices along `axis`; all gradients. */
const picked = (shape: readonly number[], axis: number, count: number): string => {
  const index = shape.map((extent, i) => (i === axis ? count : extent));
  return [
    `x: f32[${shape.join(", ")}]`,
    `t: i32[${index.join(", ")}] = uniform(0, ${shape[axis]!})`,
    `w: f32[${index.join(", ")}]`,
    `loss = (w * tanh(x).gather(${axis}, t)).sum()`,
    "loss.backward()",
    "return loss, x.grad",
  ].join("\n");
};

const flopsOf = (text: string): number => {
  const { fusedPlan } = compile(`${text}\n`, defaultOptions);
  return fusedPlan!.kernels.reduce((sum, { flops }) => sum + flops, 0);
};

describe("the gradient of picked elements", () => {
  test("has the reference's values along every axis", () => {
    const extent = fc.integer({ min: 1, max: 5 });
    const shape = fc.array(extent, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(shape, fc.nat(), extent, (shape, at, count) => {
        const compilation = compiled(graphOf(picked(shape, at % shape.length, count)));
        const final = fusionAt(compilation, compilation.steps.length);
        expect(stepFaults(compilation)).toEqual([]);
        expect(valueFaults(compilation.drawn, final)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test("takes work that grows with the rows, not with their square", () => {
    const [one, four] = [64, 256].map((rows) => flopsOf(picked([rows, 128], 1, 1)));
    expect(four! / one!).toBeLessThan(4.5);
  });
});

const losses: readonly (readonly [name: string, kernels: number, text: string])[] = [
  [
    "the likelihood of one token a row",
    2,
    "x: f32[1024, 8192]\nt: i32[1024] = uniform(0, 8192)\nlp = F.log_softmax(x, dim=-1).gather(1, t.unsqueeze(-1)).squeeze(-1)\nloss = -lp.mean()\nloss.backward()\nreturn loss, x.grad",
  ],
];
test.each(losses)("%s and its gradient take %i launches", (_, kernels, text) => {
  expect(compile(`${text}\n`, defaultOptions).fusedPlan!.kernels.length).toBe(kernels);
});
