/** @file Scattered sums by the order of their indices: values, counts and prices over random shapes, few targets and many, skewed and out of range. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { generic } from "../../src/fusion/cost";
import { compile, defaultOptions } from "../../src/fusion";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { compiled, stepFaults, valueFaults } from "./pass-harness";

const [COUNT, SEED] = (process.env["SCATTER_LAWS"] ?? "12:20261123").split(":").map(Number) as [number, number];

/** A machine that computes slowly and launches at once: comparing never pays. */
const slow = { ...generic, name: "slow", peakFlops: 1e7, launchMicros: 0.01, multiprocessors: 1 };

const extent = fc.constantFrom(1, 2, 3, 4, 8);
const scatters = fc
  .record({
    outer: fc.array(extent, { maxLength: 2 }),
    inner: fc.array(extent, { maxLength: 2 }),
    targets: fc.constantFrom(3, 40, 64, 200),
    updates: fc.constantFrom(5, 33, 128, 700, 2500),
    range: fc.constantFrom(
      (n: number) => [0, n],
      (n: number) => [-2, n + 3],
      () => [0, 1],
      (n: number) => [n - 1, n],
    ),
    own: fc.boolean(),
    dtype: fc.constantFrom("f32", "i32"),
    before: fc.constantFrom("x", "relu(x)", "x * 2 + 1"),
    after: fc.constantFrom("y", "y * 3", "y + y.sum()"),
  })
  .filter(
    ({ outer, inner, updates, targets }) => [...outer, ...inner].reduce((a, b) => a * b, updates * targets) < 150_000,
  )
  .map(({ outer, inner, targets, updates, range, own, dtype, before, after }) => {
    const shape = (size: number): string => [...outer, size, ...inner].join(", ");
    const axis = outer.length;
    const [from, to] = range(targets) as [number, number];
    const index = own ? shape(updates) : String(updates);
    const call = own ? `scatter_add(${axis}, i, v)` : `index_add(${axis}, i, v)`;
    return [
      `x: ${dtype}[${shape(updates)}]${dtype === "i32" ? " = uniform(-5, 5)" : ""}`,
      `i: i32[${index}] = uniform(${from}, ${to})`,
      `v = ${before}`,
      `y = torch.zeros(${shape(targets)}, dtype=torch.${dtype === "i32" ? "int32" : "float32"}).${call}`,
      `return ${after}`,
    ].join("\n");
  });

test(`${COUNT} scatters, seed ${SEED}`, () => {
  let sorted = 0;
  fc.assert(
    fc.property(scatters, (text) => {
      const graph = graphOf(text);
      const compilation = compiled(graph, { profile: slow });
      const taken = compilation.steps.some(({ pass, accepted }) => pass === "sorted-scatter" && accepted);
      if (taken) sorted++;
      expect(stepFaults(compilation)).toEqual([]);
      const final = fusionAt(compilation, compilation.steps.length);
      expect(valueFaults(compilation.drawn, final, slow)).toEqual([]);
      for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-7)).toEqual([]);
    }),
    { numRuns: COUNT, seed: SEED },
  );
  expect(sorted).toBeGreaterThan(COUNT / 3);
});

test.each([
  [
    "rows, and how many there are",
    "x: f32[500, 4]\ni: i32[500] = uniform(0, 40)\nn = torch.zeros(40).index_add(0, i, torch.ones(500))\nt = torch.zeros(40, 4).index_add(0, i, x)\nreturn t / n.clamp(min=1).unsqueeze(1)",
  ],
  [
    "two values, each element by an index of its own",
    "x: f32[500, 4]\ni: i32[500, 4] = uniform(0, 40)\na = torch.zeros(40, 4).scatter_add(0, i, x)\nb = torch.zeros(40, 4).scatter_add(0, i, x * x)\nreturn a, b",
  ],
])("scatters by the same indices sort once: %s", (_, text) => {
  const graph = graphOf(text);
  const compilation = compiled(graph, { profile: slow });
  const final = fusionAt(compilation, compilation.steps.length);
  expect([...final.graph.nodes.values()].filter(({ op }) => op === "sort_indices").length).toBe(1);
  expect(stepFaults(compilation)).toEqual([]);
  expect(valueFaults(compilation.drawn, final, slow)).toEqual([]);
});

const micros = (text: string): number => {
  const { fusedPlan } = compile(text, defaultOptions);
  return fusedPlan!.kernels.reduce((sum, { predictedMicros }) => sum + predictedMicros, 0);
};

test.each([
  [
    "rows into few targets",
    (n: number) =>
      `x: f32[${n}, 64]\ni: i32[${n}] = uniform(0, 1000)\nreturn torch.zeros(1000, 64).index_add(0, i, x)\n`,
  ],
  [
    "the gradient of an embedding",
    (n: number) =>
      `t: f32[${n}, 64]\ni: i32[${n}] = uniform(0, 1000)\ng: f32[${n}, 64]\nreturn jax.grad(lambda t: (F.embedding(i, t) * g).sum())(t)\n`,
  ],
  [
    "elements of their own",
    (n: number) =>
      `x: f32[${n}, 16]\ni: i32[${n}, 16] = uniform(0, ${n})\nreturn torch.zeros(${n}, 16).scatter_add(0, i, x)\n`,
  ],
])("%s take time in proportion to the updates", (_, text) => {
  expect(micros(text(160_000))).toBeLessThan(16 * micros(text(10_000)));
});
