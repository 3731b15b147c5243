/** @file What is scattered, by the order of its indices, in the naive plan and in the fused one: values, counts and prices over random shapes, few targets and many, skewed and out of range. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { compile, defaultOptions } from "../../src/fusion";
import { scatters, slow } from "./any-scatter";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { compiled, stepFaults, valueFaults } from "./pass-harness";

const [COUNT, SEED] = (process.env["SCATTER_LAWS"] ?? "12:20261123").split(":").map(Number) as [number, number];

test(`${COUNT} scatters, seed ${SEED}`, () => {
  let sorted = 0;
  fc.assert(
    fc.property(scatters, (text) => {
      const graph = graphOf(text);
      const compilation = compiled(graph, { profile: slow });
      if (compilation.naive!.choices?.some(({ taken }) => taken)) sorted++;
      expect(stepFaults(compilation)).toEqual([]);
      const final = fusionAt(compilation, compilation.steps.length);
      expect(valueFaults(compilation.drawn, final, slow)).toEqual([]);
      for (const state of [compilation.naive!, final])
        for (const target of [gpu, cpu]) expect(complaints(state, target, 1e-7)).toEqual([]);
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
    "x: f32[500, 4]\ni: i32[500, 4] = uniform(0, 600)\na = torch.zeros(600, 4).scatter_add(0, i, x)\nb = torch.zeros(600, 4).scatter_add(0, i, x * x)\nreturn a, b",
  ],
])("scatters by the same indices group or sort once: %s", (_, text) => {
  const graph = graphOf(text);
  const compilation = compiled(graph, { profile: slow });
  const final = fusionAt(compilation, compilation.steps.length);
  const once = new Set(["group_indices", "sort_indices"]);
  expect([...final.graph.nodes.values()].filter(({ op }) => once.has(op)).length).toBe(1);
  expect(stepFaults(compilation)).toEqual([]);
  expect(valueFaults(compilation.drawn, final, slow)).toEqual([]);
});

test.each([
  ["of one axis", "x: f32[300, 8]\ni: i32[300] = uniform(-4, 44)\ny = torch.zeros(40, 8).index_add(0, i, x.exp())"],
  [
    "of the middle of three",
    "x: f32[3, 200, 4]\ni: i32[200] = uniform(-4, 44)\ny = torch.zeros(3, 40, 4).index_add(1, i, x.exp())",
  ],
])("what a scatter of rows gives back is gathered by rows: %s", (_, text) => {
  const graph = graphOf(`${text}\ng = torch.autograd.grad((y * y).sum(), [x])[0]\nreturn g`);
  const compilation = compiled(graph, { profile: slow });
  const final = fusionAt(compilation, compilation.steps.length);
  const gathers = [...final.graph.nodes.values()].filter(({ op }) => op === "gather");
  expect(gathers.length).toBeGreaterThan(0);
  for (const { inputs } of gathers) expect(final.graph.nodes.get(inputs[0]!)!.type.shape.length).toBeGreaterThan(1);
  expect(stepFaults(compilation)).toEqual([]);
  expect(valueFaults(compilation.drawn, final, slow)).toEqual([]);
});

test.each([
  ["bincount", "i: i32[5000] = uniform(0, 900)\nreturn torch.bincount(i, minlength=900)"],
  ["ones", "i: i32[5000] = uniform(-5, 900)\nreturn torch.zeros(800).scatter_add(0, i, torch.ones(5000))"],
  [
    "a weight",
    "i: i32[5000] = uniform(0, 900)\nreturn jax.ops.segment_sum(jnp.full((5000,), 0.25), i, num_segments=900)",
  ],
])("what only counts is counted, and put in no order: %s", (_, text) => {
  const compilation = compiled(graphOf(text), { profile: slow });
  const final = fusionAt(compilation, compilation.steps.length);
  const ops = [...final.graph.nodes.values()].map(({ op }) => op);
  expect(ops).toContain("count_keys");
  expect(ops).not.toContain("group_indices");
  expect(stepFaults(compilation)).toEqual([]);
  expect(valueFaults(compilation.drawn, final, slow)).toEqual([]);
});

test.each([
  ["at, set", "x: f32[500]\ni: i32[900] = uniform(-3, 503)\nv: f32[900]\nreturn x.at[i].set(v)"],
  [
    "scatter, each row by indices of its own",
    "x: f32[6, 300]\ni: i32[6, 80] = uniform(0, 300)\nv: f32[6, 80]\nreturn x.scatter(1, i, v)",
  ],
  [
    "scatter of whole rows, by a list for each of several",
    "x: f32[4, 300, 8]\ni: i32[4, 250] = uniform(0, 300)\nv: f32[4, 250, 8]\nreturn x.scatter(1, i[:, :, None].expand(-1, -1, 8), v)",
  ],
])("the last update of each target is found without an order: %s", (_, text) => {
  const compilation = compiled(graphOf(text), { profile: slow });
  const final = fusionAt(compilation, compilation.steps.length);
  const ops = [...final.graph.nodes.values()].map(({ op }) => op);
  expect(ops).toContain("last_keys");
  expect(ops).not.toContain("sort_indices");
  expect(stepFaults(compilation)).toEqual([]);
  expect(valueFaults(compilation.drawn, final, slow)).toEqual([]);
});

test.each([
  [
    "scatter_add",
    "x: f32[3, 60, 8]\ni: i32[3, 200] = uniform(0, 60)\nreturn torch.zeros(3, 60, 8).scatter_add(1, i.unsqueeze(-1).expand(-1, -1, 8), x.repeat(1, 4, 1)[:, :200])",
    180,
  ],
])("lists of indices that name whole rows are one list of rows: %s", (_, text, targets) => {
  const compilation = compiled(graphOf(text), { profile: slow });
  const final = fusionAt(compilation, compilation.steps.length);
  const grouped = [...final.graph.nodes.values()].filter(({ op }) => op === "group_indices" || op === "sort_indices");
  const folded = [...final.graph.nodes.values()].filter(({ op }) => op === "fold_ranges");
  expect(grouped.length).toBe(1);
  expect(folded.map(({ inputs }) => final.graph.nodes.get(inputs[2]!)!.type.shape[0])).toEqual([targets]);
  expect(stepFaults(compilation)).toEqual([]);
  expect(valueFaults(compilation.drawn, final, slow)).toEqual([]);
});

const zeros = (n: number): string => `torch.zeros(${n}, 16)`;
const rows = (n: number): string => `x: f32[${n}, 16]\ng: f32[${n}, 16]\ni: i32[${n}] = uniform(0, ${n})\n`;
const own = (n: number): string => `x: f32[${n}, 16]\ng: f32[${n}, 16]\ni: i32[${n}, 16] = uniform(0, ${n})\n`;
const put = (n: number, reduction: string): string =>
  `scatter_elements(${zeros(n)}, i, x, axis=0, reduction="${reduction}")`;
const derived = (call: string): string => `return jax.grad(lambda x: (${call} * g).sum())(x)`;

/** As many targets as updates, n of each: what compares them all would take n² of everything. */
const SCATTERS: Record<string, (n: number) => string> = {
  index_add: (n) => `${rows(n)}return ${zeros(n)}.index_add(0, i, x)`,
  "index_add, of rows at other indices": (n) =>
    `${rows(n)}j: i32[${n}] = uniform(0, ${n})\nreturn ${zeros(n)}.index_add(0, i, x[j])`,
  "at, add": (n) => `${rows(n)}return x.at[i].add(g)`,
  "at, set": (n) => `${rows(n)}return x.at[i].set(g)`,
  "at, max": (n) => `${rows(n)}return x.at[i].max(g)`,
  segment_sum: (n) => `${rows(n)}return jax.ops.segment_sum(x, i, num_segments=${n})`,
  bincount: (n) => `i: i32[${n}] = uniform(0, ${n})\nreturn torch.bincount(i, minlength=${n})`,
  scatter_nd: (n) => `${rows(n)}return scatter_nd(${zeros(n)}, i.reshape(${n}, 1), x, reduction="add")`,
  ...Object.fromEntries(
    ["none", "add", "mul", "max", "min"].map((reduction) => [
      `scatter_elements, ${reduction}`,
      (n: number) => `${own(n)}return ${put(n, reduction)}`,
    ]),
  ),
  "the derivative of an embedding": (n) => `${rows(n)}${derived("F.embedding(i, x)")}`,
  "the derivative of index_select": (n) => `${rows(n)}${derived("x.index_select(0, i)")}`,
  "the derivative of gather": (n) => `${own(n)}${derived("torch.gather(x, 0, i)")}`,
  "the derivative of index_add": (n) => `${rows(n)}${derived(`${zeros(n)}.index_add(0, i, x)`)}`,
  "the derivative of scatter_add": (n) => `${own(n)}${derived(put(n, "add"))}`,
  "the derivative of scatter": (n) => `${own(n)}${derived(put(n, "none"))}`,
  ...Object.fromEntries(
    ["mul", "max", "min"].map((reduction) => [
      `the derivative of scatter_elements, ${reduction}`,
      (n: number) => `${own(n)}${derived(put(n, reduction))}`,
    ]),
  ),
  ...Object.fromEntries(
    ["add", "mul", "max", "min"].map((reduction) => [
      `the derivative in forward mode of scatter_elements, ${reduction}`,
      (n: number) => `${own(n)}y, dy = jvp(lambda x: ${put(n, reduction)}, (x,), (g,))\nreturn dy`,
    ]),
  ),
  "the derivative of at, max": (n) => `${rows(n)}${derived("x.at[i].max(g)")}`,
  "the derivative of at, max, by its updates": (n) =>
    `${rows(n)}return jax.grad(lambda g: (x.at[i].max(g) * x).sum())(g)`,
};

describe.each(Object.entries(SCATTERS))("%s", (name, text) => {
  const sizes = [256, 1024, 4096, 16_384, 65_536, 262_144];
  const plans = sizes.map((n) => compile(text(n), defaultOptions));

  test.each(["naivePlan", "fusedPlan"] as const)(
    "takes time and bytes in proportion to targets and updates: %s",
    (which) => {
      const totals = plans.map((compilation) => compilation[which]!.totals);
      for (const [k, n] of sizes.entries()) {
        // 16 columns of a few values each, a sort of at most 21 passes over keys and numbers, and launches.
        expect(totals[k]!.bytes / n).toBeLessThan(8000);
        expect(totals[k]!.predictedMicros).toBeLessThan(600 + n / 50);
      }
    },
  );

  test.skipIf(name.startsWith("the derivative"))("gains little by fusion alone", () => {
    for (const { naivePlan, fusedPlan } of plans.slice(2))
      expect(naivePlan!.totals.predictedMicros / fusedPlan!.totals.predictedMicros).toBeLessThan(2.5);
  });
});
