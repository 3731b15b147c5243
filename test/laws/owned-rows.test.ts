/** @file A product whose rows a workgroup owns: what follows a row's folds in the same kernel, in both schedules and on WebGPU's shapes. */
import { describe, expect, test } from "vitest";
import { lowerFusion } from "../../src/fusion/plan";
import { fusionAt } from "../../src/fusion/compile";
import { generic, totalsOf } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf, oneRegion, wgslOf } from "./kernel-harness";
import { compiled, stepFaults } from "./pass-harness";

const CASES: Readonly<Record<string, string>> = {
  softmax: `x: f32[40, 20]\nw: f32[20, 90]\ny = softmax(x @ w, dim=-1)`,
  "layer norm and gelu": `x: f32[37, 21]\nw: f32[21, 50]\nb: f32[50]\ng: f32[50]\ny = gelu(layer_norm(x @ w + b, g, b))`,
  "rms norm of a wide row": `x: f32[70, 12]\nw: f32[12, 256]\ng: f32[256]\ny = rms_norm(x @ w, g)`,
  "unit length over batches": `x: f32[2, 19, 16]\nw: f32[16, 33]\nz = (x @ w).reshape(38, 33)\ny = l2_normalize(z, dim=-1)`,
  "a result of each kind": `x: f32[33, 8]\nw: f32[8, 30]\nz = relu(x @ w)\nm = z.mean(dim=-1, keepdim=True)\ny = z - m\nreturn y, m`,
  "as many rows as columns": `x: f32[7, 3, 5]\nw: f32[5, 3]\nz = x @ w\nm = z.max(dim=-1)\ny = z - m.unsqueeze(-1)\nreturn m, y`,
  "what follows the product before each fold": `x: f32[8, 8]\nw: f32[8, 31]\nb: f32[31]\nr: f32[8, 1]\ny = softmax(x @ w * b + r, dim=1)`,
  "the product's operand again": `x: f32[9, 16]\nw: f32[16, 16]\ny = softmax(x @ w + x, dim=1) * x`,
  variance: `x: f32[33, 8]\nw: f32[8, 30]\nz = x @ w\nd = z - z.mean(dim=-1, keepdim=True)\ny = (d * d).mean(dim=-1)`,
};

test.each(Object.entries(CASES))("%s", (_, text) => {
  const fusion = oneRegion(graphOf(text));
  expect(lowerFusion(fusion, gpu, generic)[0]!.programs[0]!.template).toBe("matmul");
  expect(complaints(fusion, gpu, 1e-9)).toEqual([]);
  expect(complaints(fusion, cpu, 1e-9)).toEqual([]);
});

/** Launches expensive enough that the few workgroups of small programs do not matter. */
const EAGER = { profile: { ...generic, multiprocessors: 1, launchMicros: 100 } };

describe.each(Object.entries(CASES))("%s by itself", (_, text) => {
  test.each(["op", "primitive"] as const)("by %s", (granularity) => {
    const compilation = compiled(graphOf(text), { ...EAGER, granularity });
    expect(stepFaults(compilation)).toEqual([]);
    const final = fusionAt(compilation, compilation.steps.length);
    expect(totalsOf(final, generic).kernels).toBe(1);
    for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-9)).toEqual([]);
  });
});

test("the text of a small one", () => {
  expect(wgslOf(`x: f32[16, 4]\nw: f32[4, 16]\ny = softmax(x @ w, dim=-1)`, gpu)).toMatchSnapshot("workgroup");
  expect(wgslOf(`x: f32[16, 4]\nw: f32[4, 16]\ny = softmax(x @ w, dim=-1)`, cpu)).toMatchSnapshot("thread");
});
