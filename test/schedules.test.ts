/** @file Small programs as schedulers are tried on: how many dispatches each takes, in calls and in primitives; the values of the same in small. */
import { describe, expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, type CompileOptions } from "../src/fusion";
import { generic } from "../src/fusion/cost";
import { valueFaults } from "./laws/pass-harness";

const square = (...names: string[]): string => names.map((name) => `${name}: f32[N, N]\n`).join("");
const flat = (...names: string[]): string => names.map((name) => `${name}: f32[N * N]\n`).join("");

/** Dispatches; a sum over everything, or over few long rows, takes two. */
const PROGRAMS: Readonly<Record<string, readonly [kernels: number, text: string]>> = {
  "products summed, then relu": [2, `${square("a", "b")}y = relu((a * b).sum())`],
  "binary ops around a reshape": [
    1,
    `${square("a", "b")}c: f32[2 * N, N // 2]\ny = (a + b).reshape(2 * N, N // 2) + c`,
  ],
  "binary ops around a permute": [1, `${square("a", "b", "c")}y = (a + b).T + c`],
  "a sum, a reshape and a binary op": [2, `${square("a")}b: f32[N // 4, 4]\ny = a.sum(dim=0).reshape(N // 4, 4) + b`],
  "views of views": [1, `${square("a", "b")}y = (a + b).permute(1, 0).reshape(4, N // 4, N).permute(2, 0, 1)`],
  "a diamond": [1, `${square("a", "b", "c", "d")}s = a + b\ny = (s + c) + (s + d)`],
  "two unary ops behind a convolution": [
    1,
    "x: f32[1, 3, N // 16, N // 16]\nw: f32[8, 3, 3, 3]\ny = exp(relu(conv2d(x, w)))",
  ],
  "a sum of sums": [2, `${square("a")}y = a.sum(dim=1).sum()`],
  "a sum behind a relu behind a sum": [2, "a: f32[N // 16, N // 16, N]\ny = relu(a.sum(dim=2)).sum(dim=1)"],
  "the same with both read": [2, "a: f32[N // 16, N // 16, N]\nr = a.sum(dim=2)\nu = relu(r).sum(dim=1)\nreturn r, u"],
  "a sum of what is left of the maximum": [1, `${square("a")}y = (a - a.max(dim=-1, keepdim=True)).sum(dim=-1)`],
  "one sum, read three times": [2, `${square("a")}b = a.sum() + 2\nc = a.sum() - 2\nd = a.sum() * 2\nreturn b, c, d`],
  "mean and variance": [1, `${square("a")}m = a.mean(dim=1)\nv = a.var(dim=1)\nreturn m, v`],
  "the index of the smallest": [1, `${square("a")}y = a.argmin(dim=-1)`],
  "batch norm in training": [1, "x: f32[2, 12, N // 16, N // 16]\ny = batch_norm(x, training=True)"],
  "softmax and its way back": [
    1,
    `${square("x", "g")}y = softmax(x, dim=-1)\ndx = y * (g - (g * y).sum(dim=-1, keepdim=True))\nreturn y, dx`,
  ],
  "log of a mean of exponentials": [1, `${square("x")}y = log(exp(x).mean(dim=-1))`],
  "a step of Adam": [
    1,
    `${flat("w", "g", "m")}v: f32[N * N] = uniform(0, 1)\nm1 = 0.9 * m + 0.1 * g\nv1 = 0.999 * v + 0.001 * g * g\nw1 = w - 0.001 * m1 / (sqrt(v1) + 1e-8)\nreturn w1, m1, v1`,
  ],
  "a step with momentum and decay": [
    1,
    `${flat("w", "g", "m")}m1 = 0.9 * m + g + 0.01 * w\nw1 = w - 0.1 * m1\nreturn w1, m1`,
  ],
  "a border, a product and its inside": [
    1,
    `a: f32[N - 2, N - 2]\n${square("b")}y = (pad(a, (1, 1, 1, 1)) * b)[1:-1, 1:-1]`,
  ],
  "a sum over what is joined": [1, "a: f32[N, N // 2]\nb: f32[N, N // 2]\ny = cat([a * 2, b], dim=1).sum(dim=1)"],
  "a norm of looked-up rows": [
    1,
    "e: f32[1000, N // 2]\ni: i32[64] = zeros()\nw: f32[N // 2]\ny = rms_norm(embedding(i, e), (N // 2,), w)",
  ],
  "cosines of rows": [
    1,
    `${square("a", "b")}y = (a * b).sum(dim=-1) / (sqrt((a * a).sum(dim=-1)) * sqrt((b * b).sum(dim=-1)))`,
  ],
  "a residual, a norm and a gate": [
    1,
    `${square("x", "r")}w: f32[N]\nh = x + r\nn = rms_norm(h, (N,), w)\ny = n * sigmoid(n)\nreturn h, y`,
  ],
  "rotated halves": [
    1,
    "q: f32[4, N, 16]\nc: f32[N, 8]\ns: f32[N, 8]\na = q[..., :8]\nb = q[..., 8:]\ny = cat([a * c - b * s, a * s + b * c], dim=-1)",
  ],
  "group norm": [1, "x: f32[4, 16, N // 16, N // 16]\ny = group_norm(x, 8)"],
  "instance norm and relu": [1, "x: f32[4, 16, N // 16, N // 16]\ny = relu(instance_norm(x))"],
  "means of rows and of columns": [2, `${square("x")}a = x.mean(dim=0)\nb = x.mean(dim=1)`],
  "a convolution with a residual": [
    1,
    "x: f32[1, 16, N // 16, N // 16]\nw: f32[16, 16, 3, 3]\nb: f32[16]\nr: f32[1, 16, N // 16, N // 16]\ny = relu(conv2d(x, w, b, padding=1) + r)",
  ],
};

const planned = (n: number, text: string, given: Partial<CompileOptions> = {}) => {
  const compilation = compile(`N = ${n}\n${text}`, { ...defaultOptions, ...given });
  expect(compilation.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return compilation;
};

describe.each(Object.entries(PROGRAMS))("%s", (_, [kernels, text]) => {
  test.each(["op", "primitive"] as const)("by %s", (granularity) => {
    expect(planned(1024, text, { granularity }).fusedPlan!.totals.kernels).toBeLessThanOrEqual(kernels);
  });

  test("has the reference's values", () => {
    const small = planned(64, text, { profile: { ...generic, multiprocessors: 1, launchMicros: 100 } });
    expect(valueFaults(small.drawn, fusionAt(small, small.steps.length), small.options.profile)).toEqual([]);
  });
});
