/** @file Attention as one kernel: what the derived form computes, on random shapes, in both schedules. */
import { describe, expect, test } from "vitest";
import { lowerFusion } from "../../src/fusion/codegen";
import { generic } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf, oneRegion, wgslOf } from "./codegen-harness";

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
