/** @file Attention as one kernel: what the derived form computes, on random shapes, in both schedules. */
import { expect, test } from "vitest";
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
