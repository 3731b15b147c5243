/** @file The counts that the chapters are about, on live plans. Nothing here is a built-in result. */
import { describe, expect, test } from "vitest";
import { fusionAt } from "../src/fusion/compile";
import { totalsOf } from "../src/fusion/cost";
import type { CompileOptions, MultiConsumerPolicy, Sums } from "../src/fusion/ir";
import { graphOf } from "./random-graph";
import { compiled } from "./laws/pass-harness";

const MIB = 1 << 20;

function counts(text: string, given: Partial<CompileOptions> = {}): { naive: Sums; fused: Sums } {
  const compilation = compiled(graphOf(text), given);
  const { profile } = compilation.options;
  const fused = totalsOf(fusionAt(compilation, compilation.steps.length), profile);
  return { naive: totalsOf(compilation.naive!, profile), fused };
}
const primitive = { granularity: "primitive" } as const;

describe("counts of the chapters", () => {
  test("log(exp(x) + 1) moves 6 times 64 MiB, fused twice", () => {
    const { naive, fused } = counts("x: f32[4096, 4096]\ny = log(exp(x) + 1)");
    expect([naive.transfers, naive.bytes / MIB]).toEqual([6, 384]);
    expect([fused.transfers, fused.bytes / MIB, fused.kernels]).toEqual([2, 128, 1]);
  });

  test("log(relu(x + b)) with a full-size b moves 7 times, fused 3", () => {
    const { naive, fused } = counts("x: f32[2048, 2048]\nb: f32[2048, 2048]\ny = log(relu(x + b))");
    expect([naive.transfers, naive.fullSizeTransfers, fused.transfers, fused.fullSizeTransfers]).toEqual([7, 7, 3, 3]);
  });

  test("log(relu(x + b)) with a vector b moves 6 times at full size, fused twice", () => {
    const { naive, fused } = counts("x: f32[2048, 2048]\nb: f32[2048]\ny = log(relu(x + b))");
    expect([naive.transfers, naive.fullSizeTransfers, fused.transfers, fused.fullSizeTransfers]).toEqual([7, 6, 3, 2]);
  });

  test("relu(layer_norm(x)) as primitives: 16 full-size of 27, fused 2 of 4", () => {
    const text = "x: f32[8192, 768]\nw: f32[768]\nb: f32[768]\ny = relu(layer_norm(x, w, b))";
    const { naive, fused } = counts(text, primitive);
    expect([naive.kernels, naive.transfers, naive.fullSizeTransfers]).toEqual([11, 27, 16]);
    expect([fused.kernels, fused.transfers, fused.fullSizeTransfers]).toEqual([1, 4, 2]);
  });

  test("relu(layer_norm(x)) as five statements: 8 full-size of 15, fused 2 of 4", () => {
    const statements = [
      "m = x.mean(dim=-1, keepdim=True)\nv = ((x - m) ** 2).mean(dim=-1, keepdim=True)",
      "n = (x - m) / sqrt(v + 1e-5)\ny = n * w + b\ny = relu(y)",
    ].join("\n");
    const { naive, fused } = counts(`x: f32[8192, 768]\nw: f32[768]\nb: f32[768]\n${statements}`, {
      granularity: "statement",
    });
    expect([naive.kernels, naive.transfers, naive.fullSizeTransfers]).toEqual([5, 15, 8]);
    expect([fused.kernels, fused.transfers, fused.fullSizeTransfers]).toEqual([1, 4, 2]);
  });

  test("softmax as primitives: 8 full-size transfers, fused 2", () => {
    const { naive, fused } = counts("x: f32[8192, 1024]\ny = softmax(x, dim=-1)", primitive);
    expect([naive.kernels, naive.fullSizeTransfers, fused.kernels, fused.fullSizeTransfers]).toEqual([5, 8, 1, 2]);
  });

  test("a chain of 20 unary ops moves 40 times, fused twice", () => {
    const ops = ["tanh", "sigmoid", "relu", "exp"];
    const chain = Array.from({ length: 20 }, (_, i) => `t = ${ops[i % 4]!}(t)`).join("\n");
    const { naive, fused } = counts(`x: f32[1024, 1024]\nt = x\n${chain}`);
    expect([naive.transfers, fused.transfers, fused.kernels]).toEqual([40, 2, 1]);
  });

  test.each([
    ["materialise", 9],
    ["duplicate", 8],
    ["multi", 6],
    ["cost", 6],
  ] as const)("a value with two readers under the policy %s moves %i times", (policy: MultiConsumerPolicy, moved) => {
    const given = "x: f32[4096, 4096]\ny: f32[4096, 4096]\nb: f32[4096, 4096]\nc: f32[4096, 4096]";
    const { naive, fused } = counts(`${given}\nt = x * y\nz1 = t + b\nz2 = t - c`, { policy });
    expect([naive.fullSizeTransfers, fused.fullSizeTransfers]).toEqual([9, moved]);
  });

  test("matmul + bias + relu: the product moves 5 times, fused once", () => {
    const { naive, fused } = counts("x: f32[1024, 1024]\nw: f32[1024, 1024]\nb: f32[1024]\ny = relu(x @ w + b)");
    expect([naive.bytes, fused.bytes]).toEqual([28 * MIB + 4096, 12 * MIB + 4096]);
    expect([naive.kernels, fused.kernels]).toEqual([3, 1]);
  });

  test.each([
    [
      "dropout(gelu(x)) + residual",
      "x: f32[4096, 1024]\nr: f32[4096, 1024]\ny = dropout(gelu(x), p=0.1) + r",
      {},
      7,
      3,
    ],
    ["layer_norm without weights", "x: f32[8192, 768]\ny = layer_norm(x, (768,))", primitive, 10, 2],
    ["layer_norm", "x: f32[8192, 768]\nw: f32[768]\nb: f32[768]\ny = layer_norm(x, w, b)", primitive, 14, 2],
    ["dropout(softmax(x))", "x: f32[8192, 1024]\ny = dropout(softmax(x, dim=-1), p=0.1)", {}, 4, 2],
    ["dropout(softmax(x)), primitives", "x: f32[8192, 1024]\ny = dropout(softmax(x, dim=-1), p=0.1)", primitive, 10, 2],
    ["silu(a) * b", "a: f32[4096, 1024]\nb: f32[4096, 1024]\ny = silu(a) * b", {}, 5, 3],
    ["silu(a) * b, primitives", "a: f32[4096, 1024]\nb: f32[4096, 1024]\ny = silu(a) * b", primitive, 8, 3],
    [
      "bias, dropout, add",
      "x: f32[4096, 1024]\nb: f32[1024]\nr: f32[4096, 1024]\ny = dropout(x + b, p=0.1) + r",
      {},
      7,
      3,
    ],
    ["rms_norm", "x: f32[8192, 4096]\nw: f32[4096]\ny = rms_norm(x, w)", primitive, 7, 2],
  ] as const)("%s: full-size transfers", (_, text, given, before, after) => {
    const { naive, fused } = counts(text, given);
    expect([naive.fullSizeTransfers, fused.fullSizeTransfers, fused.kernels]).toEqual([before, after, 1]);
  });
});

describe("one kernel each", () => {
  const rows = "x: f32[8192, 768]\nw: f32[768]\nb: f32[768]";
  test.each([
    [
      "an elementwise DAG",
      "x: f32[4096, 1024]\na = exp(x)\nb = a + 1\nc = tanh(a) * b\ny = c / (a + b) - where(x > 0, c, b)",
    ],
    ["softmax", "x: f32[8192, 1024]\ny = softmax(x, dim=-1)"],
    ["softmax over columns", "x: f32[64, 65536]\ny = softmax(x, dim=0)"],
    ["log_softmax", "x: f32[8192, 1024]\ny = log_softmax(x, dim=-1)"],
    ["layer_norm", `${rows}\ny = layer_norm(x, w, b)`],
    ["layer_norm + gelu", `${rows}\ny = gelu(layer_norm(x, w, b))`],
    ["layer_norm + relu + residual", `${rows}\ny = relu(layer_norm(x, w, b)) + x`],
    ["add + layer_norm", `${rows}\nr: f32[8192, 768]\ny = layer_norm(x + r, w, b)`],
    ["rms_norm", "x: f32[8192, 4096]\nw: f32[4096]\ny = rms_norm(x, w)"],
    ["l2_normalize", "x: f32[8192, 4096]\ny = l2_normalize(x, dim=-1)"],
    ["dropout(softmax)", "x: f32[8192, 1024]\ny = dropout(softmax(x, dim=-1), p=0.1)"],
    ["matmul + bias + relu", "x: f32[1024, 1024]\nw: f32[1024, 1024]\nb: f32[1024]\ny = relu(x @ w + b)"],
    ["linear + gelu", "x: f32[1024, 1024]\nw: f32[1024, 1024]\nb: f32[1024]\ny = gelu(linear(x, w, b))"],
    ["matmul + silu (a diamond)", "x: f32[1024, 1024]\nw: f32[1024, 1024]\nh = x @ w\ny = h * sigmoid(h)"],
    ["x.T + b", "x: f32[2048, 2048]\nb: f32[2048, 2048]\ny = x.T + b"],
  ])("%s", (_, text) => {
    for (const granularity of ["op", "primitive"] as const) {
      expect(counts(text, { granularity }).fused.kernels).toBe(1);
    }
  });
});
