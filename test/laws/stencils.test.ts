/** @file Values that shifted views ask for at several positions: counted as often as they are computed, and stored before that is too often. */
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { generic } from "../../src/fusion/cost";
import type { Fusion } from "../../src/fusion/ir";
import { lowerFusion, planFusion } from "../../src/fusion/plan";
import { gpu, graphOf, oneRegion } from "./kernel-harness";
import { compiled, valueFaults } from "./pass-harness";

const flopsOf = (fusion: Fusion): number[] => lowerFusion(fusion, gpu, generic).map(({ facts }) => facts.flops);

const laplace = (rank: number): string => {
  const at = (axis: number, slice: string): string =>
    Array.from({ length: rank }, (_, i) => (i === axis ? slice : "1:-1")).join(", ");
  return Array.from({ length: rank }, (_, i) => `p[${at(i, "2:")}] + p[${at(i, ":-2")}]`).join(" + ");
};

/** Steps of diffusion on a grid, written out. */
const diffusion = (rank: number, n: number, steps: number): string =>
  [
    `x: f32[${Array.from({ length: rank }, () => n).join(", ")}]`,
    `for i in range(${steps}):`,
    `    p = F.pad(x, (${Array.from({ length: rank }, () => "1, 1").join(", ")}))`,
    `    x = x + 0.1 * (${laplace(rank)} - ${2 * rank} * x)`,
    "return x",
  ].join("\n");

describe.each([1, 2, 3])("diffusion on a grid of rank %i", (rank) => {
  const n = [1 << 22, 2048, 192][rank - 1]!;
  test("has kernels that a driver builds, and no more of them than steps", () => {
    for (const steps of [1, 2, 5]) {
      const compilation = compiled(graphOf(diffusion(rank, n, steps)));
      const fused = fusionAt(compilation, compilation.steps.length);
      const { kernels } = planFusion(fused, gpu, generic);
      expect(kernels.length).toBeLessThanOrEqual(steps);
      for (const { wgsl } of kernels) expect(wgsl.split(";").length).toBeLessThan(4000);
    }
  });
  test("keeps its values", () => {
    const graph = graphOf(diffusion(rank, [40, 12, 8][rank - 1]!, 3));
    const compilation = compiled(graph);
    expect(valueFaults(graph, fusionAt(compilation, compilation.steps.length))).toEqual([]);
  });
});

test("a kernel counts a value as often as it computes it", () => {
  const three = (axis: number): string => {
    const [pad, at] = axis === 0 ? ["0, 0, 1, 1", ["2:", "1:-1", ":-2"]] : ["1, 1", [":, 2:", ":, 1:-1", ":, :-2"]];
    return `x: f32[64, 64]\ny = F.pad(exp(x), (${pad}))\nreturn ${at.map((slice) => `y[${slice}]`).join(" + ")}`;
  };
  const [once] = flopsOf(oneRegion(graphOf("x: f32[64, 64]\nreturn exp(x)")));
  const sums = 2 * 64 * 64;
  // Across the rows in three places; along them four neighbours share six.
  expect(flopsOf(oneRegion(graphOf(three(0))))).toEqual([3 * once! + sums]);
  expect(flopsOf(oneRegion(graphOf(three(1))))).toEqual([1.5 * once! + sums]);
});

test("an image in grey is stored before its slopes are taken twice", () => {
  const text = `img: f32[3, 2048, 2048]
grey = 0.3 * img[0] + 0.6 * img[1] + 0.1 * img[2]
p = F.pad(grey, (1, 1, 1, 1))
gx = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
gy = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
slope = sqrt(gx * gx + gy * gy)
return slope / slope.max()`;
  const compilation = compiled(graphOf(text));
  const fused = fusionAt(compilation, compilation.steps.length);
  expect([...fused.regions.values()].map(({ outputs }) => outputs)).toEqual([["grey"], ["return"]]);
});
