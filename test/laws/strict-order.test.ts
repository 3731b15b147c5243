/** @file Strict mode: the fused plan adds everything up in the order of the naive plan, so that their results are equal to the last bit. */
import { describe, expect, test } from "vitest";
import { runPlanOnCpu } from "../../src/fusion/plan";
import { fusionAt } from "../../src/fusion/compile";
import { targetOf } from "../../src/fusion/cost";
import type { CompileOptions, NodeId } from "../../src/fusion/ir";
import { graphOf } from "../random-graph";
import { dataOf } from "./kernel-harness";
import { compiled } from "./pass-harness";

const sums = Array.from({ length: 20 }, (_, i) => `s${i} = (x * ${i}.5).sum(dim=-1, keepdim=True)`);

/** Programs in which the merged kernel would split a sum differently from the kernel of that sum alone. */
const programs: Readonly<Record<string, string>> = {
  "few long rows, which are cut into parts": "x: f32[4, 16384]\ny = softmax(x, dim=-1)",
  "a norm of few long rows": "x: f32[4, 9000]\ny = layer_norm(x, 9000)",
  "columns that few threads walk": "x: f32[4096, 8]\ny = softmax(x, dim=0)",
  "twenty sums that leave room for fewer threads": `x: f32[16, 1024]\n${sums.join("\n")}\ny = x * (${sums.map((_, i) => `s${i}`).join(" + ")})`,
  "rows that a CPU cuts into parts": "x: f32[8, 5000]\nm = x.mean(dim=-1, keepdim=True)\ny = x - m",
  "rows and columns": "x: f32[512, 64]\na = x.sum(dim=0)\nb = x.sum(dim=1)",
  "a thin product of a transposed operand": "w: f32[200, 4]\ny = abs(w.T * 0.3) @ w",
  "a transposed matrix times a vector": "a: f32[2048, 96]\nu: f32[2048]\ny = a.T @ abs(u)",
  "a thin product, folded": "x: f32[4, 200]\nw: f32[200, 4]\ny = relu(x @ w).min(dim=1)",
  "rows of a product": "x: f32[64, 96]\nw: f32[96, 64]\ny = softmax(x @ w, dim=-1)",
  "some rows of a product that slices share": "x: f32[33, 64]\nw: f32[64, 20]\ny = (x @ w)[2:30:3] * 2",
  "a scan beside sums": "x: f32[16, 2048]\ny = cumsum(x * 2.5, dim=-1) - x.mean(dim=-1, keepdim=True)",
};

const GRANULARITIES: readonly CompileOptions["granularity"][] = ["primitive", "op"];

describe.each(Object.entries(programs))("%s", (_, text) => {
  test.each(GRANULARITIES)("by %s", (granularity) => {
    const graph = graphOf(text);
    const compilation = compiled(graph, { strict: true, granularity });
    const inputs = dataOf(graph);
    const { profile } = compilation.options;
    for (const schedule of ["gpu", "cpu"] as const) {
      const [naive, fused] = [0, compilation.steps.length].map((seq) =>
        runPlanOnCpu(fusionAt(compilation, seq), { ...targetOf(profile), schedule }, profile, inputs, {
          precision: "f32",
        }),
      );
      expect([...fused!.outputs.values()]).toEqual([...naive!.outputs.values()]);
    }
  });
});

test("the refusal says how each would add", () => {
  const text = "x: f32[4, 16384]\ns = x.sum(dim=-1)\na, indices = x.topk(1)\nreturn s, a";
  const { steps } = compiled(graphOf(text), {
    strict: true,
    granularity: "primitive",
  });
  const { legal } = steps.find(({ legal: { code } }) => code === "L_STRICT")!;
  expect(legal.numbers).toMatchObject({ chunksBefore: 16, chunks: 1 });
  expect(legal.text).toContain("in 16 parts of each row");
});

test("a sum is recomputed for the backward pass only where it is added up as in the forward pass", () => {
  const text =
    "q: f32[127, 3]\nk: f32[33, 3]\nv: f32[33, 3]\no = scaled_dot_product_attention(q, k, v)\nloss = sum(tanh(o))\nloss.backward()\nreturn loss, q.grad, k.grad";
  const graph = graphOf(text);
  const recomputed = (granularity: CompileOptions["granularity"]) =>
    compiled(graph, {
      strict: true,
      granularity,
      savedValues: { apart: true, choices: { ["o.sum" as NodeId]: "recompute" } },
    }).steps.filter(({ pass, rule }) => pass === "saved-values" && rule === "recompute");
  // The shares of one kernel with the product are added up in its tile, a kernel of their own walks them.
  expect(recomputed("op").map(({ accepted, legal }) => [accepted, legal.code])).toEqual([[false, "L_STRICT"]]);
  expect(recomputed("primitive").map(({ accepted }) => accepted)).toEqual([true]);
});
