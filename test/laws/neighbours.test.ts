/** @file The addresses of 32 neighbouring threads, as the lowered kernels have them. */
import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, targetOf, type Target } from "../../src/fusion";
import {
  instructionCounts,
  lowerRegion,
  neighbourAccesses,
  type KernelProgram,
  type NeighbourAccess,
} from "../../src/fusion/kernel/code";

function programsOf(text: string, knobs?: Target["knobs"]): KernelProgram[] {
  const compilation = compile(text, defaultOptions);
  const { graph, regions } = fusionAt(compilation, compilation.steps.length);
  const target = { ...targetOf(defaultOptions.profile), knobs };
  return [...regions.values()].flatMap((region) => lowerRegion(graph, region, target));
}
const waysOf = (text: string, knobs?: Target["knobs"]): NeighbourAccess[] =>
  programsOf(text, knobs).flatMap(neighbourAccesses);
const short = ({ name, access, width, stride, segments }: NeighbourAccess) => [
  name,
  access,
  width,
  stride,
  segments.length,
];

test("neighbours take neighbours, four at once: sixteen bytes a thread fill four segments", () => {
  expect(waysOf("x: f32[64, 64]\ny = relu(x)").map(short)).toEqual([
    ["x", "read", 4, 4, 4],
    ["y", "write", 4, 4, 4],
  ]);
});

test("one element for all, one element each, and a column read with the stride of a row", () => {
  const off = { all: { vector: "off", transposed: "direct" } as const, kernels: {} };
  const ways = waysOf("x: f32[64, 96]\nr: f32[96, 64]\ns: f32[1]\ny = x.T + r * s", off);
  expect(ways.map(short)).toEqual([
    ["x", "read", 1, 96, 32],
    ["r", "read", 1, 1, 1],
    ["s", "read", 1, 0, 1],
    ["y", "write", 1, 1, 1],
  ]);
  expect(ways[0]!.segments.every((used) => used === 4)).toBe(true);
});

test("through a tile in workgroup memory a transposed operand is read side by side", () => {
  const [x] = waysOf("x: f32[64, 96]\nr: f32[96, 64]\ny = x.T + r");
  expect(x!.segments.reduce((sum, used) => sum + used, 0)).toBe(x!.segments.length * 128);
});

test("a gathered row is found by data; a lookup's index is not", () => {
  const ways = waysOf("w: f32[100, 7]\ni: i32[50]\ny = embedding(i, w)");
  expect(ways.find(({ value }) => value === "w")).toMatchObject({ byData: true, stride: null, segments: [] });
  expect(ways.find(({ value }) => value === "i")!.byData).toBe(false);
});

test("every kernel of an awkward program answers", () => {
  const text =
    "q: f32[2, 40, 16]\nk: f32[2, 40, 16]\nv: f32[2, 40, 16]\nx: f32[5, 9]\ny = F.scaled_dot_product_attention(q, k, v)\nz = pad(x, (1, 2)).sum(dim=-1)\nreturn y, z";
  const ways = waysOf(text);
  expect(new Set(ways.map(({ name }) => name)).size).toBeGreaterThan(5);
  for (const { segments, threads } of ways) expect(segments.length).toBeLessThanOrEqual(4 * threads);
});

test("one thread's instructions, loops by their turns", () => {
  const counted = (text: string, knobs?: Target["knobs"]) => instructionCounts(programsOf(text, knobs)[0]!);
  const none = { shared: 0, barriers: 0 };
  expect(counted("x: f32[64, 64]\ny = relu(x * 2)")).toMatchObject({ loads: 1, stores: 1, arithmetic: 2, ...none });
  const turns = { all: { turns: "4", unroll: "off", threads: "32" } as const, kernels: {} };
  expect(counted("x: f32[64, 64]\ny = relu(x * 2)", turns)).toMatchObject({
    loads: 4,
    stores: 4,
    arithmetic: 8,
    branches: 4,
  });
  const softmax = counted("x: f32[64, 1024]\ny = softmax(x)");
  // 128 threads share a row, two vectors each, and meet twice for each of two folds at most.
  expect(softmax).toMatchObject({ loads: 2, stores: 2 });
  expect(softmax.barriers).toBeGreaterThanOrEqual(2);
  expect(softmax.barriers).toBeLessThanOrEqual(8);
});
