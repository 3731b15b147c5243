/** @file Rows of a matmul that are folded and stored by one kernel: values, counts, both schedules, and when the planner takes it. */
import { describe, expect, test } from "vitest";
import { lowerFusion, runPlanOnCpu, type RegionRun } from "../../src/fusion/plan";
import { fusionAt } from "../../src/fusion/compile";
import { generic, totalsOf } from "../../src/fusion/cost";
import type { CompileOptions } from "../../src/fusion/ir";
import { complaints, cpu, dataOf, gpu, graphOf, oneRegion, wgslOf } from "./kernel-harness";
import { compiled, stepFaults } from "./pass-harness";

const product = "x: f32[40, 20]\nw: f32[20, 290]\nz = x @ w\n";
const odd = "x: f32[37, 10]\nw: f32[10, 301]\nb: f32[301]\nz = x @ w + b\n";

/** Stored in a second walk, when rows are known. */
const AGAIN: Readonly<Record<string, string>> = {
  scores: `q: f32[64, 8]\nk: f32[320, 8]\ny = softmax(q @ k.T * 0.3, dim=-1)`,
  "masked scores": `q: f32[37, 10]\nk: f32[301, 10]\nmask: f32[37, 301]\ny = softmax(q @ k.T * 0.3 + mask, dim=-1)`,
  "scores under a diagonal": `q: f32[270, 8]\nk: f32[270, 8]\ns = where(iota(270) <= iota(270).unsqueeze(-1), q @ k.T, -3e38)\ny = softmax(s, dim=-1)`,
  "rows that see nothing": `q: f32[270, 8]\nk: f32[270, 8]\ns = where(iota(270) < iota(270).unsqueeze(-1), q @ k.T, -inf)\ny = softmax(s, dim=-1)`,
  heads: `q: f32[2, 3, 33, 8]\nk: f32[2, 3, 270, 8]\ny = softmax(q @ k.mT * 0.3, dim=-1)`,
  "log-softmax": `${odd}y = log_softmax(z, dim=-1)`,
  "over their norm": `${product}y = z / sqrt((z * z).sum(dim=-1, keepdim=True))`,
  "less their maximum": `${odd}y = z - z.max(dim=-1, keepdim=True)`,
  "less their mean": `${product}y = z - z.mean(dim=-1, keepdim=True)`,
  "the best of each row": `${product}y = where(iota(290) == argmax(z, dim=-1, keepdim=True), z, 0.0)`,
  "rows with a large element": `${odd}y = where(any(z > 3, dim=-1, keepdim=True), z, 0.0)`,
  "dropped probabilities": `${product}y = dropout(softmax(z, dim=-1), 0.4, seed=3)`,
  "their sum beside them": `${product}e = exp(z - z.max(dim=-1, keepdim=True))\nl = e.sum(dim=-1, keepdim=True)\ny = e / l\nreturn y, log(l)`,
  "passing elements beside them": `${odd}r = relu(z)\np = softmax(r, dim=-1)\nreturn r, p, r.max(dim=-1)`,
  "scores of different temperatures": `x: f32[40, 20]\nw: f32[20, 290]\nt: f32[40, 1]\ny = softmax((x @ w) * t, dim=-1)`,
  "computed operands": `x: f32[40, 12]\nw: f32[12, 290]\ny = softmax(relu(x) @ tanh(w), dim=-1)`,
  "one row": `x: f32[1, 20]\nw: f32[20, 290]\ny = softmax(x @ w, dim=-1)`,
  columns: `x: f32[300, 20]\nw: f32[20, 35]\ny = softmax(x @ w, dim=0)`,
  "columns of many": `x: f32[2, 300, 20]\nw: f32[20, 36]\ny = softmax(x @ w, dim=1)`,
  "rows numbered through": `x: f32[3, 18, 20]\nw: f32[20, 290]\ny = softmax((x @ w).reshape(54, 290), dim=-1)`,
};

/** Stored as they pass, or from the only tile of their rows. */
const ONCE: Readonly<Record<string, string>> = {
  "the best of each short row": `x: f32[40, 20]\nw: f32[20, 60]\nz = x @ w\ny = where(iota(60) == argmax(z, dim=-1, keepdim=True), z, 0.0)`,
  "short columns": `x: f32[30, 20]\nw: f32[20, 35]\ny = softmax(x @ w, dim=0)`,
  "beside their logarithm of sums": `${odd}y = relu(z)\nreturn y, logsumexp(y, dim=-1)`,
  "beside columns' maxima": `x: f32[300, 20]\nw: f32[20, 35]\nz = x @ w\nreturn z, z.max(dim=0)`,
};

describe.each([
  ...Object.entries(AGAIN).map(([name, text]) => [name, text, 2] as const),
  ...Object.entries(ONCE).map(([name, text]) => [name, text, 1] as const),
])("%s", (_, text, walks) => {
  const fusion = oneRegion(graphOf(text));

  test.each([
    ["tiles", gpu],
    ["threads", cpu],
  ])("in %s", (__, target) => {
    const programs = lowerFusion(fusion, target, generic).flatMap((region) => region.programs);
    expect(programs.map(({ template }) => template)).toEqual(["contract-reduce"]);
    expect(complaints(fusion, target, 1e-9)).toEqual([]);
  });

  test.each([
    ["tiles", gpu],
    ["threads", cpu],
  ])("is computed and read as often as it is counted, in %s", (__, target) => {
    const [{ facts, logs }] = runPlanOnCpu(fusion, target, generic, dataOf(fusion.graph)).regions as [RegionRun];
    const { form, schedule } = facts;
    const twice = schedule.again?.includes(form!.contraction!) ?? false;
    // A thread holds fewer columns than a tile.
    expect(twice || target === cpu).toBe(walks === 2 || target === cpu);
    for (const { value, rereads } of schedule.reads) {
      const { passes } = logs[0]!.buffers.find((buffer) => buffer.value === value)!;
      // The first tile is on its way before a walk begins.
      expect([value, rereads]).toEqual([value, twice ? Math.floor(passes) - 1 : 0]);
    }
  });
});

test("what both walks read is read as often as it is counted, and what one of them reads once", () => {
  const text = `q: f32[37, 10]\nk: f32[301, 10]\nmask: f32[37, 301]\ng: f32[37, 301]\ny = softmax(q @ k.T + mask, dim=-1) * g`;
  for (const target of [gpu, cpu]) {
    const [{ facts, logs }] = runPlanOnCpu(oneRegion(graphOf(text)), target, generic, dataOf(graphOf(text)))
      .regions as [ReturnType<typeof runPlanOnCpu>["regions"][number]];
    const rereads = (id: string): number => facts.schedule.reads.find(({ value }) => value === id)!.rereads;
    const passes = (id: string): number => logs[0]!.buffers.find(({ value }) => value === id)!.passes;
    expect([rereads("mask"), rereads("g")]).toEqual([1, 0]);
    expect([passes("mask"), passes("g")]).toEqual([2, 1]);
  }
});

/** So few rows leave a real machine idle; here every launch is expensive. */
const EAGER: Partial<CompileOptions> = { profile: { ...generic, multiprocessors: 1, launchMicros: 100 } };

describe.each(Object.entries({ ...AGAIN, ...ONCE }))("%s, where launches are expensive", (_, text) => {
  test.each(["op", "primitive"] as const)("by %s", (granularity) => {
    const compilation = compiled(graphOf(text), { ...EAGER, granularity });
    expect(stepFaults(compilation)).toEqual([]);
    const final = fusionAt(compilation, compilation.steps.length);
    expect(totalsOf(final, generic).kernels).toBe(1);
    expect(complaints(final, gpu, 1e-9)).toEqual([]);
  });
});

const scores = (heads: number, n: number, d: number): string =>
  `q: f32[${heads}, ${n}, ${d}]\nk: f32[${heads}, ${n}, ${d}]\np = softmax(q @ k.mT / math.sqrt(${d}), dim=-1)`;
const taken = (text: string, given: Partial<CompileOptions> = {}) =>
  compiled(graphOf(text), given).steps.find(({ pass }) => pass === "matmul-rows");

test.each([
  ["many rows, little to compute", scores(16, 1024, 16), true, "A_BYTES"],
  ["many rows, much to compute", scores(16, 1024, 1024), false, "C_RECOMPUTE"],
  ["few rows", scores(1, 512, 64), false, "C_PARALLELISM"],
])("%s", (_, text, accepted, code) => {
  const step = taken(text)!;
  expect([step.accepted, step.profitable!.code]).toEqual([accepted, code]);
  expect(step.cost!.alternatives).toHaveLength(2);
});

test("by choice whatever it costs, and not in strict mode", () => {
  const { edges } = taken(scores(1, 512, 64))!;
  expect(taken(scores(1, 512, 64), { forced: edges })!.profitable!.code).toBe("U_FORCE");
  const { steps } = compiled(graphOf(scores(16, 1024, 16)), { strict: true });
  expect(steps.some(({ legal }) => legal.code === "L_STRICT")).toBe(true);
  expect(steps.some(({ pass, accepted }) => pass === "matmul-rows" && accepted)).toBe(false);
});

test("a fold that needs another one is left to kernels that read rows", () => {
  expect(taken(`x: f32[40, 20]\nw: f32[20, 290]\ny = layer_norm(x @ w)`, EAGER)).toBeUndefined();
});

test("the text of a small one", () => {
  const text = `q: f32[16, 4]\nk: f32[260, 4]\ny = softmax(q @ k.T, dim=-1)`;
  expect(wgslOf(text, gpu)).toMatchSnapshot("workgroup");
  expect(wgslOf(text, cpu)).toMatchSnapshot("thread");
});
