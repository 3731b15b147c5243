/** @file Attention as one kernel: what the derived form computes, on random shapes, in both schedules. */
import { describe, expect, test } from "vitest";
import { lowerFusion } from "../../src/fusion/plan";
import { printWgsl } from "../../src/fusion/kernel/code";
import { generic } from "../../src/fusion/cost";
import type { Target } from "../../src/fusion/ir";
import { complaints, cpu, gpu, graphOf, oneRegion, wgslOf } from "./kernel-harness";

const attention = (m: number, n: number, d: number, dv: number, mod = "", batch = ""): string =>
  [
    `q: f32[${batch}${m}, ${d}]`,
    `k: f32[${batch}${n}, ${d}]`,
    `v: f32[${batch}${n}, ${dv}]`,
    `s = q @ k.transpose(-1, -2)`,
    mod === "" ? "x = s" : mod,
    "m = x.max(dim=-1, keepdim=True)",
    "e = exp(x - m)",
    "l = e.sum(dim=-1, keepdim=True)",
    "u = e @ v",
    "o = u / l",
    "return o",
  ].join("\n");

const CASES: readonly (readonly [string, string])[] = [
  ["even", attention(64, 64, 16, 16)],
  ["odd", attention(37, 45, 10, 7)],
  ["heads", attention(33, 70, 8, 8, "x = s * 0.25", "2, 3, ")],
];

test.each(CASES)("%s", (_, text) => {
  const fusion = oneRegion(graphOf(text));
  expect(lowerFusion(fusion, gpu, generic)[0]!.programs[0]!.template).toBe("flash");
  expect(complaints(fusion, gpu, 1e-9)).toEqual([]);
  expect(complaints(fusion, cpu, 1e-9)).toEqual([]);
});

test("the text of a small one", () => {
  expect(wgslOf(attention(8, 16, 4, 4), gpu)).toMatchSnapshot("workgroup");
  expect(wgslOf(attention(8, 16, 4, 4), cpu)).toMatchSnapshot("thread");
});

describe.each([
  ["even", 64, 64, 16, 16, ""],
  ["odd", 37, 45, 10, 7, ""],
  ["heads", 33, 70, 8, 12, "2, 3, "],
] as const)("rows of results that are folded in turn, %s", (_, m, n, d, dv, batch) => {
  const result = attention(m, n, d, dv, "", batch).replace("return o", `g: f32[${batch}${m}, ${dv}]`);
  test.each([
    ["a sum beside the results", "r = -(o * g).sum(dim=-1, keepdim=True) / l\nreturn o, r"],
    ["a sum alone", "return (o * g).sum(dim=-1)"],
    ["a norm", "y = o * rsqrt((o * o).mean(dim=-1, keepdim=True) + 1e-5)\nreturn y"],
    [
      "two folds",
      "c = o - o.mean(dim=-1, keepdim=True)\ny = c * rsqrt((c * c).mean(dim=-1, keepdim=True) + 1e-5)\nreturn y",
    ],
  ])("%s", (__, rest) => {
    const fusion = oneRegion(graphOf(`${result}\n${rest}`));
    expect(lowerFusion(fusion, gpu, generic)[0]!.programs.map(({ template }) => template)).toEqual(["flash"]);
    expect(complaints(fusion, gpu, 1e-9)).toEqual([]);
    expect(complaints(fusion, cpu, 1e-9)).toEqual([]);
  });
});

/** A machine so large that bands of rows are always too few for it, and on which launches cost next to nothing. */
const large: Target = {
  ...gpu,
  machine: { ...gpu.machine!, multiprocessors: 4096, launchMicros: 0.01, counted: true },
};

describe("keys in chunks", () => {
  const causal = "x = where(iota(210) <= iota(210).unsqueeze(-1), s, -3e38)";
  const hidden = "x = where(iota(210) < iota(210).unsqueeze(-1), s, -inf)";
  test.each([
    ["even", attention(64, 128, 16, 16), 1e-9],
    ["odd", attention(37, 145, 10, 7), 1e-9],
    ["a dozen rows", attention(12, 300, 12, 12, "", "2, "), 1e-9],
    ["one row of queries", attention(1, 300, 12, 12), 1e-9],
    ["heads", attention(33, 170, 8, 8, "x = s * 0.25", "2, 3, "), 1e-9],
    ["under a diagonal", attention(210, 210, 8, 8, causal), 1e-9],
    ["under a diagonal, heads", attention(210, 210, 8, 8, causal, "2, "), 1e-9],
    ["a row that sees nothing", attention(210, 210, 8, 8, hidden), 1e-9],
    ["a soft cap", attention(20, 150, 8, 8, "x = tanh(s / 5) * 5"), 1e-9],
    ["a bias", attention(20, 150, 8, 8, "b: f32[20, 150]\nx = s + b"), 1e-9],
    [
      "a norm of the results, and their row's logarithm",
      attention(33, 150, 8, 12, "", "2, ").replace(
        "return o",
        "y = o * rsqrt((o * o).mean(dim=-1, keepdim=True) + 1e-5)\nz = log(l) + m\nreturn y, z",
      ),
      1e-9,
    ],
    ["no softmax", "q: f32[30, 8]\nk: f32[140, 8]\nv: f32[140, 8]\ny = relu(q @ k.T) @ v", 1e-9],
  ])("%s", (_, text, rtol) => {
    const fusion = oneRegion(graphOf(text));
    const [region] = lowerFusion(fusion, large, generic);
    expect(region!.programs.map(({ template }) => template)).toEqual(["flash", "flash"]);
    expect(complaints(fusion, large, rtol)).toEqual([]);
  });

  test("the text of the kernel that joins them", () => {
    const [region] = lowerFusion(oneRegion(graphOf(attention(64, 128, 16, 16))), large, generic);
    expect(printWgsl(region!.programs[1]!).wgsl).toMatchSnapshot();
  });
});

const backward = (m: number, n: number, d: number, dv: number, rest: readonly string[], batch = ""): string =>
  [
    `q: f32[${batch}${m}, ${d}]`,
    `k: f32[${batch}${n}, ${d}]`,
    `v: f32[${batch}${n}, ${dv}]`,
    `do: f32[${batch}${m}, ${dv}]`,
    `top: f32[${batch}${m}, 1]`,
    `row: f32[${batch}${m}, 1]`,
    ...rest,
  ].join("\n");
const WEIGHTS = ["p = exp(s * 0.3 - top)"];
const SLOPES = ["g = p * (h - row)"];
const FLAT = ["s = q @ k.mT", ...WEIGHTS, "h = do @ v.mT", ...SLOPES];
const TURNED = ["t = k @ q.mT", "s = t.mT", ...WEIGHTS, "w = v @ do.mT", "h = w.mT", ...SLOPES];

describe.each([
  ["even", 64, 64, 16, 16, ""],
  ["odd", 37, 45, 10, 7, ""],
  ["heads", 33, 70, 8, 12, "2, 3, "],
] as const)("rows made of two products, %s", (_, m, n, d, dv, batch) => {
  test.each([
    ["queries", [...FLAT, "return g @ k"]],
    ["keys", [...TURNED, "return g.mT @ q"]],
    ["values", ["t = k @ q.mT", "s = t.mT", ...WEIGHTS, "return p.mT @ do"]],
    ["dropped", [...TURNED, "return dropout(g, p=0.3, seed=4).mT @ q"]],
  ] as const)("of %s", (__, rest) => {
    const fusion = oneRegion(graphOf(backward(m, n, d, dv, rest, batch)));
    expect(lowerFusion(fusion, gpu, generic)[0]!.programs[0]!.template).toBe("flash");
    expect(complaints(fusion, gpu, 1e-9)).toEqual([]);
    expect(complaints(fusion, cpu, 1e-9)).toEqual([]);
  });
});
