/** @file Attention in every spelling becomes one kernel whose values and counts are right, and every state on the way runs. */
import { describe, expect, test } from "vitest";
import { lowerFusion, planFusion, runPlanOnCpu, type LoweredRegion } from "../../src/fusion/plan";
import { printWgsl } from "../../src/fusion/kernel/code";
import { fusionAt, planAt } from "../../src/fusion/compile";
import { generic, totalsOf } from "../../src/fusion/cost";
import { nodeId, type CompileOptions, type Fusion } from "../../src/fusion/ir";
import { runReference } from "../../src/fusion/reference";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { compiled, stepFaults } from "./pass-harness";

const qkv = (m: number, n: number, d: number, batch = "", dv = d): string =>
  `q: f32[${batch}${m}, ${d}]\nk: f32[${batch}${n}, ${d}]\nv: f32[${batch}${n}, ${dv}]`;

/** Programs whose attention is one kernel. */
const ONE: Readonly<Record<string, string>> = {
  plain: `${qkv(40, 72, 8)}\no = softmax(q @ k.T, dim=-1) @ v`,
  "scaled and masked": `${qkv(33, 50, 12)}\nmask: f32[33, 50]\no = softmax(q @ k.T * 0.3 + mask, dim=-1) @ v`,
  causal: `${qkv(45, 45, 8)}\nones: f32[45, 45] = ones()\nallowed = tril(ones) > 0\no = softmax(where(allowed, q @ k.T, -3e38), dim=-1) @ v`,
  "causal with infinity": `${qkv(34, 34, 4)}\nones: f32[34, 34] = ones()\nallowed = tril(ones) > 0\no = softmax(where(allowed, q @ k.T, -inf), dim=-1) @ v`,
  "padding on the left": `${qkv(34, 100, 4)}\no = softmax(where(iota(100) >= 70, q @ k.T, -inf), dim=-1) @ v`,
  "bias per head": `${qkv(20, 36, 8, "2, 3, ")}\nbias: f32[3, 20, 36]\no = softmax(q @ k.mT + bias, dim=-1) @ v`,
  "soft cap": `${qkv(24, 64, 8)}\ns = q @ k.T\no = softmax(tanh(s / 5) * 5, dim=-1) @ v`,
  "no maximum": `${qkv(24, 40, 8)}\ne = exp(q @ k.T * 0.1)\no = (e / e.sum(dim=-1, keepdim=True)) @ v`,
  "division by hand": `${qkv(24, 40, 8)}\ns = q @ k.T\ne = exp(s - s.max(dim=-1, keepdim=True))\no = (e @ v) / e.sum(dim=-1, keepdim=True)`,
  "times the reciprocal": `${qkv(24, 40, 8)}\ns = q @ k.T\ne = exp(s - s.max(dim=-1, keepdim=True))\no = (e * reciprocal(e.sum(dim=-1, keepdim=True))) @ v`,
  "base two": `${qkv(24, 40, 8)}\ns = q @ k.T * 1.4427\ne = exp2(s - s.max(dim=-1, keepdim=True))\no = (e / e.sum(dim=-1, keepdim=True)) @ v`,
  dropped: `${qkv(24, 40, 8)}\no = dropout(softmax(q @ k.T, dim=-1), p=0.2, seed=3) @ v`,
  "keys stored transposed": `q: f32[24, 8]\nk: f32[8, 40]\nv: f32[40, 8]\no = softmax(q @ k, dim=-1) @ v`,
  "shared keys": `q: f32[2, 4, 24, 8]\nk: f32[2, 1, 40, 8]\nv: f32[2, 1, 40, 8]\no = softmax(q @ k.mT, dim=-1) @ v`,
  "heads last": `q: f32[2, 24, 3, 8]\nk: f32[2, 40, 3, 8]\nv: f32[2, 40, 3, 8]\no = (softmax(q.transpose(1, 2) @ k.transpose(1, 2).mT, dim=-1) @ v.transpose(1, 2)).transpose(1, 2)`,
  "one query": `${qkv(1, 200, 16, "4, ")}\no = softmax(q @ k.mT, dim=-1) @ v`,
  "wide heads": `${qkv(17, 40, 128)}\no = softmax(q @ k.T, dim=-1) @ v`,
  "other width": `${qkv(35, 33, 20, "", 7)}\no = softmax(q @ k.T, dim=-1) @ v`,
  "as one call": `${qkv(40, 72, 8, "2, 3, ")}\no = scaled_dot_product_attention(q, k, v)`,
  "as one call, causal, square": `${qkv(72, 72, 8, "2, ")}\no = scaled_dot_product_attention(q, k, v, is_causal=True)`,
  "as one call, causal, behind other keys": `${qkv(40, 72, 8)}\no = scaled_dot_product_attention(q, k, v, is_causal=True, causal_offset=32)`,
  "as one call, causal, with a bias": `${qkv(40, 40, 8)}\nb: f32[40, 40]\no = scaled_dot_product_attention(q, k, v, b, is_causal=True)`,
  "as one call, causal": `${qkv(40, 72, 8, "2, ")}\no = scaled_dot_product_attention(q, k, v, is_causal=True)`,
  "as one call, shared heads and a mask": `q: f32[2, 4, 40, 8]\nk: f32[2, 2, 36, 8]\nv: f32[2, 2, 36, 8]\nm: f32[40, 36]\no = scaled_dot_product_attention(q, k, v, m)`,
  "from projections": `x: f32[2, 40, 16]\nq: f32[2, 40, 16]\nk = x * 0.5\nv = x + 1\no = softmax(q @ k.mT, dim=-1) @ v`,
  "guarded as exporters do": `${qkv(40, 40, 8, "2, ")}\ni = arange(40)\nm = where((i[:, None] >= 33) & (i[None, :] <= i[:, None]), 0.0, -inf)\np = softmax(q @ k.mT + m, dim=-1)\no = where(isnan(p), 0.0, p) @ v`,
  "guarded and dropped": `${qkv(24, 40, 8)}\np = softmax(q @ k.T, dim=-1)\no = dropout(where(isnan(p), 0.0, p), p=0.2, seed=3) @ v`,
  "hidden before and after": `${qkv(40, 40, 8, "2, ")}\ni = arange(40)\nhidden = (i[:, None] < 7) | (i[None, :] > i[:, None])\np = softmax((q @ k.mT * 0.3).masked_fill(hidden, -inf), dim=-1)\no = p.masked_fill(hidden, 0.0) @ v`,
  "shares weighed by hand": `${qkv(24, 40, 8)}\nmask: bool[24, 40] = ones()\no = (softmax(q @ k.T, dim=-1) * mask / 0.9) @ v`,
  "what follows": `${qkv(24, 40, 8)}\nb: f32[8]\no = relu(softmax(q @ k.T, dim=-1) @ v + b)`,
};

/** So few rows leave a real machine idle; here every launch is expensive. */
const EAGER: Partial<CompileOptions> = { profile: { ...generic, multiprocessors: 1, launchMicros: 100 } };

const kernelsOf = (fusion: Fusion): number => totalsOf(fusion, generic).kernels;

describe.each(Object.entries(ONE))("%s", (_, text) => {
  test.each(["op", "primitive"] as const)("by %s", (granularity) => {
    const compilation = compiled(graphOf(text), { ...EAGER, granularity });
    // Dividing last stores the sums for one step, until the softmax runs along.
    expect(stepFaults(compilation, { mayDuplicate: true })).toEqual([]);
    const { steps } = compilation;
    const final = fusionAt(compilation, steps.length);
    expect(kernelsOf(final)).toBe(1);
    for (const target of [gpu, cpu]) {
      expect(complaints(final, target, 1e-9)).toEqual([]);
      const along = steps.filter(({ pass, accepted }) => pass === "attention" && accepted);
      for (const { seq } of along) expect(complaints(fusionAt(compilation, seq), target, 1e-9)).toEqual([]);
    }
  });
});

describe("counts", () => {
  const text = (n: number): string => `${qkv(n, n, 64)}\ns = q @ k.T\np = softmax(s * 0.125, dim=-1)\no = p @ v`;

  test("1,024 rows: queries, keys, values and results once, nothing else", () => {
    const compilation = compiled(graphOf(text(1024)));
    const final = totalsOf(fusionAt(compilation, compilation.steps.length), generic);
    expect(final).toMatchObject({ kernels: 1, transfers: 4, bytes: 4 * 1024 * 64 * 4 });
  });

  test("memory grows with the rows, not with their square", () => {
    const peak = (n: number): number => {
      const compilation = compiled(graphOf(text(n)));
      return planAt(compilation, compilation.steps.length).totals.peakBytes;
    };
    expect(peak(2048)).toBe(2 * peak(1024));
  });
});

describe("why not", () => {
  const codes = (text: string, given: Partial<CompileOptions> = {}): string[] => {
    const { steps } = compiled(graphOf(text), { ...EAGER, ...given });
    return steps.filter(({ pass }) => pass === "attention").map((step) => (step.profitable ?? step.legal).code);
  };
  const text = `${qkv(64, 64, 8)}\np = softmax(q @ k.T, dim=-1)\no = p @ v`;

  test("the shares have another reader", () => expect(codes(`${text}\nreturn o, p`)).toEqual(["L_ROOT"]));
  test("the softmax runs over another axis", () => expect(codes(text.replace("dim=-1", "dim=0"))).toEqual(["L_SHAPE"]));
  test("heads are too wide", () => expect(codes(text.replaceAll("8]", "192]"))).toEqual(["L_WGMEM"]));
  test("strict mode", () => expect(codes(text, { strict: true })).toEqual(["L_STRICT"]));
  test("a variance needs the whole row first", () =>
    expect(codes(`${qkv(64, 64, 8)}\no = layer_norm(q @ k.T, [64]) @ v`)).toEqual(["L_REDUCE_REDUCE"]));
});

test("tiles that a causal mask hides are not computed", () => {
  const turns = (text: string): string[] => {
    const compilation = compiled(graphOf(text), EAGER);
    const [{ programs }] = lowerFusion(fusionAt(compilation, compilation.steps.length), gpu, generic) as [
      LoweredRegion,
    ];
    return printWgsl(programs[0]!).wgsl.match(/if \(turn .*\{/g) ?? [];
  };
  const causal = `${qkv(72, 72, 8)}\no = scaled_dot_product_attention(q, k, v, is_causal=True)`;
  expect(turns(causal)).toEqual(["if (turn * 32u < top + 32u) {"]);
  expect(turns(causal.replace("is_causal=True", "is_causal=False"))).toEqual([]);
});

test("a query that sees no key gets zeros, one whose every key in sight scores −∞ no numbers: as written, step by step and in one kernel", () => {
  const graph = graphOf(`${qkv(6, 40, 1)}\nm: f32[6, 40]\no = scaled_dot_product_attention(q, k, v, m)`);
  const q = Float64Array.of(-Infinity, -Infinity, -Infinity, -Infinity, 1, 2);
  const m = Float64Array.from({ length: 240 }, (_, i) => (i < 40 || (i < 80 && i % 3 === 0) ? -Infinity : 0));
  const [k, v] = [1, 2].map((step) => Float64Array.from({ length: 40 }, (_, i) => 0.1 + step * i));
  const inputs = new Map(Object.entries({ q, k: k!, v: v!, m }).map(([name, data]) => [nodeId(name), data]));
  const want = [...runReference(graph, inputs).get(nodeId("o"))!.data];
  expect(want.slice(0, 4)).toEqual([0, 0, Number.NaN, Number.NaN]);
  const compilation = compiled(graph, EAGER);
  const { steps } = compilation;
  expect(kernelsOf(fusionAt(compilation, steps.length))).toBe(1);
  for (const { seq } of steps.filter(({ accepted }) => accepted))
    for (const target of [gpu, cpu]) {
      const [got] = runPlanOnCpu(fusionAt(compilation, seq), target, generic, inputs).outputs.values();
      expect([...got!].map((x) => x.toPrecision(9))).toEqual(want.map((x) => x.toPrecision(9)));
    }
});

test("names of the program don't meet those of the kernel", () => {
  const text = `s: f32[40, 8]\nkv_tile: f32[72, 8]\nw: f32[72, 8]\nq_tile: f32[40, 72]\ntops = softmax(s @ kv_tile.T + q_tile, dim=-1) @ w`;
  const compilation = compiled(graphOf(text), EAGER);
  const { kernels } = planFusion(fusionAt(compilation, compilation.steps.length), gpu, generic);
  const declared = kernels[0]!.wgsl.matchAll(/^(?: {2}(?:let|var)|@group.*>|var<workgroup>) (\w+)/gm);
  const names = [...declared].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(20);
  expect(new Set(names).size).toBe(names.length);
});
