/** @file The first few of a row, retained by the threads that meet them: the reference's values, ties and all, exact counts, and where a sort stays. */
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { planFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import type { NodeId, Target } from "../../src/fusion/ir";
import { runReference } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { complaints, gpu, graphOf, oneEach, oneRegion } from "./kernel-harness";

const withPeers = (least: number, most: number): Target => ({ ...gpu, subgroups: true, subgroupSizes: [least, most] });
const first = (k: number, of = "x", axis = -1, more = ""): string =>
  `v = topk(${of}, ${k}, dim=${axis}${more})\ni = topk_indices(${of}, ${k}, dim=${axis}${more})`;
const isByThread = (text: string, target: Target): boolean =>
  planFusion(oneRegion(graphOf(text)), target, generic).kernels.some(({ wgsl }) => wgsl.includes("retained_take"));

const programs = {
  "two of eight experts": `x: f32[300, 8]\n${first(2, "softmax(x, dim=-1)")}`,
  "rows of an odd length": `x: f32[77, 301]\n${first(3)}`,
  "the smallest": `x: f32[64, 96]\n${first(5, "x", -1, ", largest=False")}`,
  "one of each": `x: f32[64, 96]\n${first(1)}`,
  "a row that goes by": `x: f32[40, 4096]\n${first(8)}`,
  "whole numbers": `x: i32[50, 40] = uniform(-9, 9)\n${first(4)}`,
  "ties of bool": `b: f32[50, 40]\nx = (b > 0).to(i32)\n${first(4)}`,
  "an axis in front": `x: f32[48, 130]\n${first(3, "x", 0)}`,
  halves: `x: f16[65, 100]\n${first(3)}`,
  "values alone": `x: f32[65, 100]\nv = topk(x, 3) * 2`,
  "beside a sum of the row": `x: f32[65, 100]\ns = x - x.mean(dim=-1, keepdim=True)\n${first(2, "s")}`,
} as const;

describe.each(Object.entries(programs))("%s", (_, text) => {
  const fusions = [oneRegion(graphOf(text)), oneEach(graphOf(text))];
  test.each([
    [4, 4],
    [8, 32],
    [32, 32],
    [16, 64],
  ] as const)("subgroups of %s to %s", (least, most) => {
    for (const fusion of fusions) expect(complaints(fusion, withPeers(least, most))).toEqual([]);
  });
});

test("random rows, of any length and as many of them as there are", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 1, max: 16 }),
      fc.constantFrom(4, 16, 32),
      (rows, columns, count, peers) => {
        const fusion = oneRegion(graphOf(`x: f32[${rows}, ${columns}]\n${first(Math.min(count, columns))}`));
        expect(complaints(fusion, withPeers(peers, 32))).toEqual([]);
      },
    ),
    { numRuns: 40, seed: 20261129 },
  );
});

test("threads retain a few where they are of one subgroup, and sort where that takes less", () => {
  const few = `x: f32[50000, 1000]\n${first(5)}`;
  expect(isByThread(few, withPeers(32, 32))).toBe(true);
  expect(isByThread(few, { ...gpu, subgroups: false })).toBe(false);
  expect(isByThread(few, { ...gpu, subgroups: true })).toBe(false);
  expect(isByThread(`x: f32[500, 1000]\n${first(64)}`, withPeers(32, 32))).toBe(false);
  expect(isByThread(`x: f32[500, 64]\nv = sort(x)`, withPeers(32, 32))).toBe(false);
});

const device = await dawn();

// SwiftShader's subgroups have four threads.
describe.skipIf(!device)("on WebGPU", () => {
  const session = createSession(device!);
  afterAll(() => session.close());

  test.each([["True"], ["False"]])("NaN, ∞ and equal elements, largest=%s", async (largest) => {
    const text = `x: f32[300, 40]\n${first(4, "x", -1, `, largest=${largest}`)}`;
    const graph = graphOf(text);
    const target = withPeers(4, 4);
    expect(isByThread(text, target)).toBe(true);
    const odd = [1, NaN, -Infinity, 0, 3, -0, Infinity, 1, -2, 3, 1e-30, 7.5, -1e-40];
    const inputs = new Map([
      ["x" as NodeId, Float64Array.from({ length: 12_000 }, (_, i) => odd[(i * i) % odd.length]!)],
    ]);
    const reference = runReference(graph, inputs);
    const answer = await session.run(planFusion(oneRegion(graph), target, generic), inputs);
    if (!answer.ok) throw new Error(answer.problem.text);
    const plain = (of: ArrayLike<number>): number[] => Array.from(of, (value) => Math.fround(value) + 0);
    for (const { value, data } of answer.value) expect(plain(data)).toEqual(plain(reference.get(value)!.data));
  });
});
