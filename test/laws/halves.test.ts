/** @file f16: two bytes an element in memory, f32 in registers; whole words are owned, half ones are put beside what is there. */
import { afterAll, describe, expect, test } from "vitest";
import { lowerFusion, planFusion, runPlanOnCpu } from "../../src/fusion/plan";
import { printWgsl } from "../../src/fusion/kernel/code";
import { generic } from "../../src/fusion/cost";
import type { Target } from "../../src/fusion/ir";
import { compareOutputs, inputData, runReference, toleranceFor } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { complaints, cpu, dataOf, gpu, graphOf, oneEach, oneRegion } from "./kernel-harness";

const packed: Target = { ...gpu, shaderF16: false };
const native: Target = { ...gpu, shaderF16: true };

/** Every template, whole fours and odd tails. */
const programs: Readonly<Record<string, string>> = {
  "whole words": "x: f16[8, 12]\nb: f16[12]\ny = relu(x + b)",
  "an odd tail": "x: f16[7, 11]\nb: f16[11]\ny = relu(x + b)",
  "an even tail": "x: f16[5, 6]\ny = x * 2",
  "one element": "x: f16[1]\ny = x * 2",
  "odd, beside f32": "x: f16[7, 11]\nw: f32[7, 11]\ny = x + 1\nz = x * w\nreturn y, z",
  "a slice of an odd row": "x: f16[6, 11]\ny = x[1:, 2:9] + 1",
  "fours of a tensor that is not whole fours": "x: f32[10]\nh: f16[10]\ny = x[0:8] * 2\nz = h[0:8] * 2\nreturn y, z",
  "four neighbours from odd indices": "x: f16[67]\ny = x[3:67] * 2",
  rows: "x: f16[9, 300]\ny = softmax(x)",
  "odd rows": "x: f16[5, 127]\nw: f16[127]\nb: f16[127]\ny = layer_norm(x, w, b)",
  "one value a row": "x: f16[7, 129]\ny = x.mean(dim=1)",
  "one value": "x: f16[3, 5]\ny = x.sum()",
  columns: "x: f16[31, 8]\ny = x.max(dim=0)",
  "odd columns": "x: f16[31, 7]\ny = softmax(x, dim=0)",
  "split rows": "x: f16[2, 40000]\ny = x.max(dim=1)",
  transposed: "x: f16[64, 36]\nb: f16[36, 64]\ny = x.T + b",
  "transposed, odd": "x: f16[33, 35]\nb: f16[35, 33]\ny = x.T + b",
  "a product": "x: f16[32, 48]\nw: f16[48, 36]\nb: f16[36]\ny = relu(x @ w + b)",
  "an odd product": "x: f16[37, 45]\nw: f16[45, 51]\ny = x @ w",
  "a matrix times a vector": "x: f16[9, 300]\nw: f16[300]\ny = x @ w",
  "there and back": "x: f32[7, 9]\nh = x.to(f16)\ny = h.to(f32) + 1\nreturn h, y",
};

describe("kernels on halves agree with the reference and with the counts", () => {
  test.each(Object.entries(programs))("%s", (_, text) => {
    const graph = graphOf(text);
    for (const target of [packed, native, cpu]) {
      expect(complaints(oneEach(graph), target)).toEqual([]);
      expect(complaints(oneRegion(graph), target)).toEqual([]);
    }
  });

  test("two bytes are counted for each", () => {
    const [kernel] = planFusion(oneRegion(graphOf(programs["an odd tail"]!)), packed, generic).kernels;
    expect([...kernel!.reads, ...kernel!.writes].map(({ bytes }) => bytes)).toEqual([2 * 77, 2 * 11, 2 * 77]);
  });

  test("a store rounds to the nearest half", () => {
    const graph = graphOf("x: f32[4]\ny = x.to(f16)");
    const inputs = new Map([...dataOf(graph).keys()].map((id) => [id, Float64Array.of(1 + 2 ** -11, 2049, 1e-8, -3)]));
    const run = runPlanOnCpu(oneRegion(graph), packed, generic, inputs, { precision: "f32" });
    expect([...run.outputs.values()].map((data) => [...data])).toEqual([[1, 2048, 0, -3]]);
  });

  test("nobody writes half a word without an atomic", () => {
    for (const text of Object.values(programs)) {
      for (const fusion of [oneEach(graphOf(text)), oneRegion(graphOf(text))]) {
        for (const program of lowerFusion(fusion, packed, generic).flatMap((region) => region.programs)) {
          const { wgsl } = printWgsl(program);
          expect(wgsl).not.toMatch(/\bf16\b|vec4h/);
          for (const { name, type, access } of program.buffers) {
            if (type.dtype !== "f16" || access === "read") continue;
            const plain = wgsl.split("\n").filter((line) => line.trim().startsWith(`${name}[`));
            expect(
              plain.every((line) => /= (to_halves\(|to_half\(\w+\) \| \(to_half\(\w+\) << 16u\);)/.test(line)),
            ).toBe(true);
          }
        }
      }
    }
  });
});

const device = await dawn();
const adapter = await device?.requestAdapter();

describe.skipIf(!device)("on WebGPU, both ends of the packing agree", () => {
  const session = createSession(device!);
  afterAll(() => session.close());

  test.each(Object.entries(programs))(
    "%s",
    async (_, text) => {
      const graph = graphOf(text);
      const inputs = new Map(
        [...graph.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, inputData(n)]),
      );
      const reference = runReference(graph, inputs);
      for (const target of adapter!.features.has("shader-f16") ? [packed, native] : [packed]) {
        const answer = await session.run(planFusion(oneRegion(graph), target, generic), inputs);
        if (!answer.ok) throw new Error(answer.problem.text);
        for (const { value, data } of answer.value) {
          expect(compareOutputs(reference.get(value)!.data, data, toleranceFor(graph, value))).toMatchObject({
            pass: true,
          });
        }
      }
    },
    60_000,
  );
});
