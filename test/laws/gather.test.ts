/** @file Gathers inside kernels: the index is data, so counts are upper bounds; everything else is exact. */
import { describe, expect, test } from "vitest";
import {
  compile,
  defaultOptions,
  fusionAt,
  generic,
  inputData,
  runPlanOnCpu,
  targetOf,
  type NodeId,
} from "../../src/fusion";

const programs: Record<string, string> = {
  embedding: "i: i32[6, 8]\nt: f32[50, 12]\ny = embedding(i, t)",
  "an embedding, scaled and normalised": "i: i32[6, 8]\nt: f32[50, 12]\ny = layer_norm(embedding(i, t) * 3.0)",
  "of something computed": "x: f32[20, 6]\ni: i32[9]\ny = gather(relu(x) + 1.0, i, axis=0)",
  "by something computed": "x: f32[20, 6]\ni: i32[9]\ny = gather(x, i * 2 + 1, axis=0) - 1.0",
  "of every element its own": "x: f32[7, 5]\ni: i32[7, 5]\ny = sum(gather_elements(x, i, axis=0), dim=1)",
  "twice, from one table": "i: i32[40]\nj: i32[40]\nt: f32[16, 4]\ny = embedding(i, t) * embedding(j, t)",
  "into a product": "i: i32[8]\nt: f32[30, 16]\nw: f32[16, 4]\ny = embedding(i, t) @ w",
};

describe("a kernel that gathers", () => {
  test.each(Object.keys(programs))("%s: reads no more than it says", (name) => {
    const compilation = compile(programs[name]!, defaultOptions);
    expect(compilation.diagnostics).toEqual([]);
    const { graph } = compilation.naive!;
    const inputs = new Map<NodeId, Float64Array>();
    for (const n of graph.nodes.values()) if (n.op === "input") inputs.set(n.id, Float64Array.from(inputData(n)));
    for (const [plan, cursor] of [
      [compilation.naivePlan!, 0],
      [compilation.fusedPlan!, compilation.steps.length],
    ] as const) {
      const { kernels } = runPlanOnCpu(fusionAt(compilation, cursor), targetOf(generic), generic, inputs);
      expect(kernels.length).toBe(plan.kernels.length);
      kernels.forEach(({ log }, i) => {
        expect(log.problems).toEqual([]);
        for (const { value, bytes } of plan.kernels[i]!.reads) {
          const touched = log.buffers.find((buffer) => buffer.value === value)?.read ?? 0;
          expect(touched * 4).toBeLessThanOrEqual(bytes);
        }
      });
    }
  });

  test("rows are counted as often as they are asked for, never more than the table holds", () => {
    const readOf = (rows: number): number => {
      const { fusedPlan } = compile(`i: i32[${rows}]\nt: f32[50, 8]\ny = embedding(i, t)`, defaultOptions);
      return fusedPlan!.kernels[0]!.reads.find(({ value }) => value === "t")!.bytes;
    };
    expect([readOf(10), readOf(50), readOf(400)]).toEqual([10 * 8 * 4, 50 * 8 * 4, 50 * 8 * 4]);
  });

  test("an embedding stays one kernel with the normalisation that follows", () => {
    const { fusedPlan } = compile(programs["an embedding, scaled and normalised"]!, defaultOptions);
    expect(fusedPlan!.kernels.length).toBe(1);
  });
});
