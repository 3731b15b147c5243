/** @file Folds of everything beside kernels that walk the rows: folded row by row on the way, with the reference's values. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { wordFaults } from "./decisions";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";

const program = (rows: number, columns: number, row: string, all: string, fold: string): string =>
  `x: f32[${rows}, ${columns}]\nw: f32[${columns}]\ny = ${row}\nz = ${all}\ntotal = z.${fold}()\nreturn y, total`;

const ROWS = ["softmax(x, dim=-1)", "x - x.mean(dim=-1, keepdim=True)", "(x * w).sum(dim=-1)"];
const ALL = ["x * x", "y.exp()", "x * w + 1"];
const taken = (text: string, given = {}) => {
  const compilation = compiled(graphOf(text), given);
  return { compilation, steps: compilation.steps.filter(({ rule, accepted }) => rule === "sum-of-rows" && accepted) };
};

describe("a fold of all elements beside rows", () => {
  const large = program(2048, 1024, ROWS[0]!, ALL[0]!, "sum");

  test("is folded on the way: fewer bytes and launches", () => {
    const { steps } = taken(large);
    expect(steps.length).toBe(1);
    const [apart, fused] = steps[0]!.cost!.alternatives;
    expect(fused!.bytes).toBeLessThan(apart!.bytes);
    expect(fused!.micros).toBeLessThan(apart!.micros);
    expect(steps.flatMap(wordFaults)).toEqual([]);
    expect(compile(`${large}\n`, defaultOptions).fusedPlan!.kernels.length).toBe(2);
  });

  test("stays apart in strict mode", () => {
    expect(taken(large, { strict: true }).steps).toEqual([]);
  });

  test("has the reference's values in every step", () => {
    const some = fc.constantFrom(0, 1, 2);
    const fold = fc.constantFrom("sum", "mean", "max", "min");
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 70 }),
        some,
        some,
        fold,
        (r, c, i, j, f) => {
          const { compilation } = taken(program(r, c, ROWS[i]!, i === 2 && j === 1 ? ALL[0]! : ALL[j]!, f));
          const final = fusionAt(compilation, compilation.steps.length);
          expect(stepFaults(compilation)).toEqual([]);
          expect(valueFaults(compilation.drawn, final)).toEqual([]);
          expect(trafficFaults(final)).toEqual([]);
          for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-6)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });
});
