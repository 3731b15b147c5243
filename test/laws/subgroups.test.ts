/** @file Threads that join by subgroups: right for every size that a machine may have, on WebGPU too, and with fewer barriers than a tree. */
import { afterAll, describe, expect, test } from "vitest";
import { instructionCounts } from "../../src/fusion/kernel/code";
import { lowerFusion, planFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import type { Target } from "../../src/fusion/ir";
import { compareOutputs, inputData, runReference, toleranceFor } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { complaints, gpu, graphOf, oneRegion, wgslOf } from "./kernel-harness";

const programs = {
  softmax: "x: f32[3, 768]\ny = softmax(x)",
  "layer norm of odd rows": "x: f32[5, 259]\nw: f32[259]\ny = layer_norm(x, w)",
  "two folds side by side": "x: f32[4, 300]\ny = x.sum(dim=-1) + x.amax(dim=-1)",
  argmax: "x: f32[3, 500]\ni = argmax(x, dim=-1)",
  "any of bools": "x: f32[3, 500]\ny = (x > 0.9).any(dim=-1)",
  "whole numbers": "x: i32[3, 500]\ny = x.sum(dim=-1)",
  "chunks of a long row": "x: f32[2, 40000]\ny = x.sum(dim=-1)",
  "everything, in many chunks": "x: f32[700, 1024]\ny = sqrt(x.square().mean())",
  "rows and columns": "x: f32[40, 300]\ns = softmax(x, dim=-1)\na = s.sum(dim=0)\nreturn s, a",
  "a dot product": "x: f32[3, 1000]\nw: f32[1000]\ny = relu(x @ w)",
  "a product in chunks":
    "x: f32[20, 8]\nw: f32[8, 1500]\nz = x @ w\nm = logsumexp(z, dim=-1, keepdim=True)\ni = argmax(z, dim=-1)\nreturn m, i",
} as const;
const cases = Object.entries(programs);

const choosing = (rows?: "again" | "one-pass", threads?: "32"): Target => ({
  ...gpu,
  knobs: { all: { joined: "subgroups", rows, threads }, kernels: {} },
});

describe.each([4, 8, 16, 32, 64, 128])("subgroups of %i", (size) => {
  test.each(cases)("%s", (_, text) => {
    const fusion = oneRegion(graphOf(text));
    const wgsl = wgslOf(text, choosing());
    expect(wgsl).toContain("subgroupShuffleXor");
    expect(complaints(fusion, choosing(), 1e-6, size)).toEqual([]);
  });

  test("in one pass, and in workgroups that are no larger than a subgroup", () => {
    for (const text of [programs.softmax, programs["layer norm of odd rows"]]) {
      const fusion = oneRegion(graphOf(text));
      for (const target of [choosing("one-pass"), choosing("again", "32")])
        expect(complaints(fusion, target, 1e-6, size)).toEqual([]);
    }
  });
});

test("a softmax waits twice for the threads of its row instead of four times, with a quarter of the memory", () => {
  const barriers = (target: Target): number[] =>
    lowerFusion(oneRegion(graphOf(programs.softmax)), target, generic).flatMap(({ programs: lowered }) =>
      lowered.map((program) => instructionCounts(program).barriers),
    );
  expect([barriers(gpu), barriers(choosing())]).toEqual([[4], [2]]);
  const bytes = (target: Target): number =>
    planFusion(oneRegion(graphOf(programs.softmax)), target, generic).kernels[0]!.workgroupBytes;
  expect(bytes(gpu) / bytes(choosing())).toBe(4);
});

test("a machine without subgroups keeps the tree", () => {
  expect(wgslOf(programs.softmax, { ...choosing(), subgroups: false })).toBe(wgslOf(programs.softmax));
});

const device = await dawn();

// SwiftShader's subgroups have four threads.
describe.skipIf(!device)("on WebGPU", () => {
  const session = createSession(device!);
  afterAll(() => session.close());

  test.each(cases)("%s", async (_, text) => {
    const fusion = oneRegion(graphOf(text));
    const { graph } = fusion;
    const inputs = new Map(
      [...graph.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, inputData(n)]),
    );
    const reference = runReference(graph, inputs);
    const answer = await session.run(planFusion(fusion, choosing(), generic), inputs);
    if (!answer.ok) throw new Error(answer.problem.text);
    for (const { value, data } of answer.value)
      expect(compareOutputs(reference.get(value)!.data, data, toleranceFor(graph, value))).toMatchObject({
        pass: true,
      });
  });
});
