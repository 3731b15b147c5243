/** @file A row's factor leaves the product: values, counts, and when it stays. */
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { compile, defaultOptions } from "../../src/fusion";
import { generic } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";
import { wordFaults } from "./decisions";

/** Bytes are expensive and launches free, so that small programs are planned as large ones are. */
const profile = { ...generic, bandwidth: 1e9, launchMicros: 0, multiprocessors: 1 };

const CASES: Readonly<Record<string, string>> = {
  "a root mean square": "x: f32[64, 128]\nw: f32[128, 64]\ng: f32[128]\ny = rms_norm(x, (128,), g) @ w",
  "in primitives":
    "x: f32[64, 128]\nw: f32[128, 512]\ny = relu((x / sqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6)) @ w)",
  "a quotient": "x: f32[64, 128]\nw: f32[128, 64]\ny = l2_normalize(x, dim=-1) @ w",
  "of a batch": "x: f32[2, 3, 64, 128]\nw: f32[128, 64]\ny = rms_norm(x, (128,)) @ w",
  "for three products":
    "x: f32[64, 128]\na: f32[128, 32]\nb: f32[128, 32]\nc: f32[128, 32]\nh = rms_norm(x, (128,))\np = h @ a\nq = h @ b\nr = relu(h @ c)",
  "of the right operand": "x: f32[1024, 32]\nw: f32[32, 64]\ny = x @ (w / sqrt((w * w).sum(dim=0, keepdim=True)))",
  "of the right operand, transposed":
    "x: f32[1024, 32]\nb: f32[64, 32]\ny = x @ (b / sqrt((b * b).sum(dim=-1, keepdim=True))).T",
  "of the right operand, transposed, of a batch":
    "x: f32[2, 512, 64]\nb: f32[2, 128, 64]\ny = x @ (b / sqrt((b * b).sum(dim=-1, keepdim=True))).permute(0, 2, 1)",
  "of one number": "x: f32[1024, 32]\nw: f32[64, 32]\ns: f32[1]\ny = x @ (w / s).T",
  "behind a residual": "x: f32[64, 128]\nz: f32[64, 128]\nw: f32[128, 128]\nh = x + z\ny = h + rms_norm(h, (128,)) @ w",
};

const made = (text: string, strict = false) => {
  const compilation = compiled(graphOf(text), { profile, strict });
  return { compilation, steps: compilation.steps.filter(({ pass }) => pass === "row-scale") };
};

describe.each(Object.entries(CASES))("%s", (_, text) => {
  test("keeps its values in every state, in both schedules", () => {
    const { compilation, steps } = made(text);
    expect(steps.map(({ accepted }) => accepted)).toEqual([true]);
    expect(stepFaults(compilation)).toEqual([]);
    expect(compilation.steps.flatMap(wordFaults)).toEqual([]);
    const final = fusionAt(compilation, compilation.steps.length);
    expect(valueFaults(compilation.drawn, final)).toEqual([]);
    expect(trafficFaults(final)).toEqual([]);
    for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-9)).toEqual([]);
  });

  test("is refused in strict mode", () => {
    const { steps } = made(text, true);
    expect(steps.map(({ legal }) => legal.code)).toEqual(["L_STRICT"]);
  });
});

test.each([
  ["others read the rows", "x: f32[64, 128]\nw: f32[128, 64]\nh = rms_norm(x, (128,))\ny = h @ w\nz = h.sum(dim=0)"],
  ["the rows are a result", "x: f32[64, 128]\nw: f32[128, 64]\nh = rms_norm(x, (128,))\ny = h @ w\nreturn h, y"],
  ["the rows are shifted, too", "x: f32[64, 128]\nw: f32[128, 64]\ny = layer_norm(x, (128,)) @ w"],
  [
    "the factor of the right operand belongs to rows",
    "x: f32[64, 128]\nw: f32[128, 64]\ny = x @ (w * w.sum(dim=1, keepdim=True))",
  ],
  ["the factor belongs to columns", "x: f32[64, 128]\nw: f32[128, 64]\ny = (x * x.sum(dim=0)) @ w"],
])("%s: the product takes them as they are", (_, text) => {
  expect(made(text).steps.filter(({ accepted }) => accepted)).toEqual([]);
});

test("the kernel that leaves a norm is not called by the name of the call that divides by it", () => {
  const { fusedPlan } = compile(
    "x: f32[2048, 1024]\nw: f32[1024, 1024]\ny = l2_normalize(x, dim=-1) @ w",
    defaultOptions,
  );
  expect(fusedPlan!.kernels.map(({ name }) => name)).toEqual(["square_sum_norm", "matmul_div"]);
});
