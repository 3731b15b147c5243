/** @file Values that shifted views ask for at several positions: counted as often as they are computed, and stored before that is too often. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { generic } from "../../src/fusion/cost";
import { node, type Fusion } from "../../src/fusion/ir";
import { classify, evaluationsOf, regionArithmetic } from "../../src/fusion/kernel";
import { flopsOf, opDef } from "../../src/fusion/ops";
import { lowerFusion, planFusion, type LoweredRegion } from "../../src/fusion/plan";
import { gpu, graphOf, oneRegion } from "./kernel-harness";
import { compiled, valueFaults } from "./pass-harness";
import { writtenLoads, writtenOps } from "./written-ops";

const kernelFlops = (fusion: Fusion): number[] => lowerFusion(fusion, gpu, generic).map(({ facts }) => facts.flops);

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

/** A recurrence whose every step reads its neighbour, which the first column has not: paths of a lattice, an alignment. */
const lattice = (steps: number): string =>
  [
    `x: f32[32, ${steps}, 128]`,
    "a = x[:, 0]",
    `for t in range(1, ${steps}):`,
    "    a = torch.logaddexp(a, F.pad(a, (1, 0), value=-1e9)[:, :-1]) + x[:, t]",
    "return a[:, -1], a",
  ].join("\n");

test("a lattice of steps is written in proportion to what it computes", () => {
  for (const steps of [8, 16, 32]) {
    const compilation = compiled(graphOf(lattice(steps)));
    const fused = fusionAt(compilation, compilation.steps.length);
    const { kernels } = planFusion(fused, gpu, generic);
    expect(kernels.length).toBeLessThan(steps / 2);
    for (const { wgsl } of kernels) expect(wgsl.split(";").length).toBeLessThan(300 + 8 * steps ** 2);
  }
});

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

/** FLOP of ops on single elements, as they are counted and as they are written; null where the program is no kernel, or nothing can be told. */
function elementFlops(text: string): { readonly counted: number; readonly written: number } | null {
  const fusion = oneRegion(graphOf(text));
  const [region] = [...fusion.regions.values()];
  if (!classify(fusion.graph, region!.members, region!.outputs).ok) return null;
  const [{ facts, programs }] = lowerFusion(fusion, gpu, generic) as [LoweredRegion];
  const written = programs.map((program) => writtenOps(program, flopsOf));
  if (written.includes(null)) return null;
  let counted = 0;
  for (const [id, times] of evaluationsOf(fusion.graph, region!, facts.form, facts.schedule)) {
    const def = opDef(node(fusion.graph, id).op);
    if (def.kind === "elementwise") counted += times * flopsOf(def);
  }
  return { counted, written: written.reduce<number>((sum, each) => sum + each!, 0) };
}

const ENDS = ["s", "s.sum(dim=1)", "s.sum(dim=0)", "s.sum()", "s - s.amax(dim=1, keepdim=True)", "s.amax(dim=0)"];
/** Sums of what is computed at some of the places around each element, then folded or not. */
const stencil = fc
  .record({
    rows: fc.constantFrom(8, 16, 64),
    columns: fc.constantFrom(8, 16, 32),
    taps: fc.uniqueArray(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 2 })), {
      minLength: 2,
      maxLength: 6,
      selector: (tap) => tap.join(),
    }),
    padded: fc.boolean(),
    inner: fc.constantFrom("exp(x)", "0.5 * x + x * x", "tanh(x) * 2"),
    end: fc.constantFrom(...ENDS),
  })
  .map(({ rows, columns: few, taps, padded, inner, end }) => {
    // A row that one thread takes, written out, has its edges where they are known.
    const columns = padded ? 8 * few : few;
    const [h, w] = padded ? [rows, columns] : [rows + 2, columns + 2];
    const parts = taps.map(([i, j]) => `p[${i}:${i + rows}, ${j}:${j + columns}]`);
    const grid = padded ? "F.pad(y, (1, 1, 1, 1))" : "y";
    return `x: f32[${h}, ${w}]\ny = ${inner}\np = ${grid}\ns = ${parts.join(" + ")}\nreturn ${end}`;
  });

test("a kernel counts the FLOP that it is written with", { timeout: 120_000 }, () => {
  let seen = 0;
  fc.assert(
    fc.property(stencil, (text) => {
      const found = elementFlops(text);
      if (found) seen++;
      expect(found?.counted).toBe(found?.written);
    }),
    { numRuns: 300, seed: 20261128 },
  );
  expect(seen).toBeGreaterThan(100);
});

test("what lies behind indices is computed for each of them, and stored before that is too often", () => {
  const steps = (text: string): string => `x: f32[4, 64, 64]
def step(z):
    p = F.pad(z, (1, 1, 1, 1))
    return z + 0.1 * (p[:, 2:, 1:-1] + p[:, :-2, 1:-1] + p[:, 1:-1, 2:] + p[:, 1:-1, :-2] - 4 * z)
y = ${text}
return step(step(y))`;
  const up = (of: string): string => `F.interpolate(${of}[:, None], scale_factor=2, mode="bilinear")[:, 0]`;
  for (const text of [up("x"), up("step(x)"), up(up("step(step(x))"))]) {
    const compilation = compiled(graphOf(steps(text)));
    const fused = fusionAt(compilation, compilation.steps.length);
    for (const { wgsl } of planFusion(fused, gpu, generic).kernels) expect(wgsl.split(";").length).toBeLessThan(4000);
  }
  for (const axis of [0, 1]) {
    const at = axis === 0 ? "i" : ":, i";
    const text = `x: f32[32, 32]\ni: i32[34] = uniform(0, 32)\np = exp(x)[${at}]\nreturn p[:32, :32] + tanh(p[:32, :32])${axis === 0 ? " + p[2:]" : " + p[:, 2:]"}`;
    const found = elementFlops(text);
    expect(found?.counted).toBe(found?.written);
    expect(found).not.toBeNull();
  }
});

test("loads that shifted views repeat are counted as they are written, a part of four like all four", () => {
  const taps = fc.uniqueArray(fc.nat({ max: 8 }), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(taps, fc.constantFrom(16, 64), fc.constantFrom(72, 73), (at, rows, width) => {
      const parts = at.map((tap) => `p[:, ${tap}:${tap + 64}]`);
      const fusion = oneRegion(graphOf(`x: f32[${rows}, ${width}]\np = x\nreturn ${parts.join(" + ")}`));
      const [region] = [...fusion.regions.values()];
      const [{ facts, programs }] = lowerFusion(fusion, gpu, generic) as [LoweredRegion];
      const { near } = regionArithmetic(fusion.graph, region!, facts.form, facts.schedule).shifted;
      expect(near + 4 * facts.schedule.reads[0]!.elements).toBe(4 * 4 * writtenLoads(programs[0]!)!);
    }),
    { numRuns: 60, seed: 20261128 },
  );
});

test("a value that is asked for across an edge is computed once for each neighbour, and once more for all of them", () => {
  const three = (axis: number): string => {
    const [pad, at] = axis === 0 ? ["0, 0, 1, 1", ["2:", "1:-1", ":-2"]] : ["1, 1", [":, 2:", ":, 1:-1", ":, :-2"]];
    return `x: f32[64, 64]\ny = F.pad(exp(x), (${pad}))\nreturn ${at.map((slice) => `y[${slice}]`).join(" + ")}`;
  };
  const [once] = kernelFlops(oneRegion(graphOf("x: f32[64, 64]\nreturn exp(x)")));
  const sums = 2 * 64 * 64;
  // Across the rows in three places; along them six neighbours one by one, and the four in the middle together.
  expect(kernelFlops(oneRegion(graphOf(three(0))))).toEqual([3 * once! + sums]);
  expect(kernelFlops(oneRegion(graphOf(three(1))))).toEqual([2.5 * once! + sums]);
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
