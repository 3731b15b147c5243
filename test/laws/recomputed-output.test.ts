/** @file A second output that follows from what is stored anyway: its readers compute it, every value stays, and no byte is added. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generic } from "../../src/fusion/cost";
import { fusionAt } from "../../src/fusion/compile";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { wordFaults } from "./decisions";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";

/** Programs whose reader needs what an elementwise op made of a stored value, and other elements of that value too. */
const CASES: Readonly<Record<string, (rows: number, half: number) => string>> = {
  "a rotation of halves": (rows, half) =>
    [
      `x: f32[${rows}, 512]\nw: f32[512, ${2 * half}]\nc: f32[${rows}, ${2 * half}]\ns: f32[${rows}, ${2 * half}]`,
      "q = x @ w",
      `r = cat((-q[:, ${half}:], q[:, :${half}]), dim=-1)`,
      "y = q * c + r * s",
    ].join("\n"),
  "a threshold of rows": (rows, half) =>
    [
      `x: f32[${rows}, ${4 * half}]\nt: f32[1]`,
      "s = x / t",
      `v, i = topk(s, 2)`,
      "y = softmax(where(s < v[:, -1:], -1e9, s), dim=-1)",
      "return y",
    ].join("\n"),
};

const recomputed = (text: string, given = {}) => {
  const compilation = compiled(graphOf(text), given);
  return { compilation, steps: compilation.steps.filter(({ rule }) => rule === "recomputed-output") };
};

test("is not refused for workgroups of which there are as many either way", () => {
  const { steps } = recomputed(CASES["a rotation of halves"]!(128, 32));
  expect(steps.map(({ profitable }) => profitable?.code)).toEqual(["A_BYTES"]);
});

describe.each(Object.entries(CASES))("%s", (_, text) => {
  test("is computed where it is read, in fewer bytes", () => {
    // Where memory is slow: else a small matmul waits for its loads, stored twice or not.
    const { compilation, steps } = recomputed(text(128, 32), { profile: { ...generic, bandwidth: 2e10 } });
    expect(steps.map(({ accepted }) => accepted)).toEqual([true]);
    const [apart, fused] = steps[0]!.cost!.alternatives;
    expect(fused!.bytes).toBeLessThan(apart!.bytes);
    expect(fused!.launches).toBe(apart!.launches);
    expect(steps.flatMap(wordFaults)).toEqual([]);
    const final = fusionAt(compilation, compilation.steps.length);
    for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-9)).toEqual([]);
  });

  test("keeps its values, in every state and shape", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 9 }), (rows, half) => {
        const { compilation, steps } = recomputed(text(rows, half));
        const taken = steps.flatMap(({ accepted, cost }) => (accepted ? [cost!.alternatives] : []));
        for (const [apart, fused] of taken) expect(fused!.bytes).toBeLessThanOrEqual(apart!.bytes);
        const final = fusionAt(compilation, compilation.steps.length);
        expect(stepFaults(compilation)).toEqual([]);
        expect(valueFaults(compilation.drawn, final)).toEqual([]);
        expect(trafficFaults(final)).toEqual([]);
      }),
      { numRuns: 8 },
    );
  });

  test.each(["materialise", "multi"] as const)("stays where the policy %s stores shared values", (policy) => {
    expect(recomputed(text(128, 32), { policy }).steps).toEqual([]);
  });
});

test("a result of the program is stored", () => {
  const { compilation, steps } = recomputed(`${CASES["a rotation of halves"]!(64, 16)}\np = q * c\nreturn p, y`);
  const { outputs } = fusionAt(compilation, compilation.steps.length).graph;
  // The first node of such a step is the value that its readers compute.
  expect(steps.map(({ nodes }) => nodes[0]!).filter((id) => outputs.includes(id))).toEqual([]);
});
