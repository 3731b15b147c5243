/** @file i32 and bool: overflow wraps, quotients are f32, remainders take the divisor's sign, and kernels say what the reference says. */
import { afterAll, describe, expect, test } from "vitest";
import { planFusion, runPlanOnCpu } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import type { NodeId } from "../../src/fusion/ir";
import { runReference } from "../../src/fusion/reference";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { cpu, dataOf, gpu, graphOf, oneEach, oneRegion } from "./kernel-harness";

const LARGEST = 2 ** 31 - 1;
const SMALLEST = -(2 ** 31);

/** A call of a and b, their numbers, and what must come out. */
const ROWS: readonly (readonly [call: string, a: readonly number[], b: readonly number[], want: readonly number[]])[] =
  [
    ["a + b", [LARGEST, SMALLEST, 1, -1], [1, -1, 2, 1], [SMALLEST, LARGEST, 3, 0]],
    ["a - b", [SMALLEST, LARGEST, 0, 5], [1, -1, SMALLEST, 7], [LARGEST, SMALLEST, SMALLEST, -2]],
    ["a * b", [65536, 46341, -65536, 3], [65536, 46341, 32768, -4], [0, -2147479015, SMALLEST, -12]],
    ["-a + 0 * b", [SMALLEST, LARGEST, 0, -7], [0, 0, 0, 0], [SMALLEST, -LARGEST, 0, 7]],
    ["abs(a) + 0 * b", [SMALLEST, -5, 5, 0], [0, 0, 0, 0], [SMALLEST, 5, 5, 0]],
    ["div(a, b)", [7, -7, 7, -7], [2, 2, -2, -2], [3.5, -3.5, -3.5, 3.5]],
    ["a // b", [7, -7, 7, -7], [2, 2, -2, -2], [3, -4, -4, 3]],
    ["a % b", [7, -7, 7, -7], [3, 3, -3, -3], [1, 2, -2, -1]],
    ["a % b", [5, -5, SMALLEST, 0], [0, 0, 10, -3], [0, 0, 2, 0]],
    ["(a + b).sum(dim=0, keepdim=True) + 0 * a", [LARGEST, LARGEST, 1, 0], [0, 0, 0, 0], [-1, -1, -1, -1]],
    ["(a * b).prod(dim=0, keepdim=True) + 0 * a", [65536, 65536, 3, 1], [1, 1, 1, 1], [0, 0, 0, 0]],
    ["maximum(a, b)", [SMALLEST, LARGEST, -1, 0], [LARGEST, SMALLEST, 1, 0], [LARGEST, LARGEST, 1, 0]],
    ["a.max(dim=0, keepdim=True) + 0 * b", [SMALLEST, SMALLEST, -5, -9], [0, 0, 0, 0], [-5, -5, -5, -5]],
    ["(a > b).sum(dim=0, keepdim=True) + 0 * a", [1, 2, 3, 4], [0, 9, 0, 0], [3, 3, 3, 3]],
    ["(a > b).any(dim=0, keepdim=True) + 0 * a", [1, 2, 3, 4], [9, 9, 0, 9], [1, 1, 1, 1]],
    ["(a > b).all(dim=0, keepdim=True) + 0 * a", [1, 2, 3, 4], [0, 0, 0, 9], [0, 0, 0, 0]],
    ["((a > 0) & (b > 0)) + 0 * a", [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 0]],
    ["((a > 0) ^ (b > 0)) + 0 * a", [1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]],
    ["(a > 0).max(dim=0, keepdim=True) + 0 * b", [0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]],
  ];

const textOf = (call: string): string => `a: i32[4]\nb: i32[4]\ny = ${call}`;

function inputsOf(call: string, a: readonly number[], b: readonly number[]) {
  const graph = graphOf(textOf(call));
  const given: Readonly<Record<string, readonly number[]>> = { a, b };
  const inputs = new Map(
    [...dataOf(graph).keys()].map((id): [NodeId, Float64Array] => [id, Float64Array.from(given[id]!)]),
  );
  return { graph, inputs };
}
const plain = (data: ArrayLike<number>): number[] => Array.from(data, (x) => x + 0);

test.each(ROWS)("%s of %j and %j", (call, a, b, want) => {
  const { graph, inputs } = inputsOf(call, a, b);
  const [id] = graph.outputs;
  expect(plain(runReference(graph, inputs).get(id!)!.data)).toEqual(want);
  for (const target of [gpu, cpu])
    for (const state of [oneEach(graph), oneRegion(graph)])
      expect(plain(runPlanOnCpu(state, target, generic, inputs).outputs.get(id!)!)).toEqual(want);
});

const device = await dawn();

describe.skipIf(!device)("on WebGPU", () => {
  const session = createSession(device!);
  afterAll(() => session.close());

  test.each(ROWS)("%s of %j and %j", async (call, a, b, want) => {
    const { graph, inputs } = inputsOf(call, a, b);
    const whole = new Map([...inputs].map(([id, data]) => [id, Int32Array.from(data)]));
    const answer = await session.run(planFusion(oneRegion(graph), gpu, generic), whole);
    if (!answer.ok) throw new Error(answer.problem.text);
    expect(plain(answer.value[0]!.data)).toEqual(want);
  });
});
