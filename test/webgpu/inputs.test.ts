import { describe, expect, test } from "vitest";
import { inputData, inputFeed, nodeId, type Attrs, type DType, type Node } from "../../src/fusion";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { planOf } from "../../src/gpu/testing/plans";

const gpu = await dawn();

const input = (dtype: DType, size: number, attrs: Attrs): Node => ({
  id: nodeId("x"),
  op: "input",
  inputs: [],
  attrs: { role: "input", source: "randn", ...attrs },
  type: { dtype, shape: [size] },
  label: "x",
  origins: [],
  groups: [],
});

describe.skipIf(!gpu)("on Dawn", () => {
  const uniform: Attrs = { source: "uniform", seed: 77, lo: -0.3, hi: 1000.25 };
  test.each([
    ["f32", 100_003, { seed: 5 }],
    ["f32", 4097, { seed: 5, mean: -3, std: 0.02 }],
    ["f32", 4097, uniform],
    ["f32", 9, { ...uniform, lo: 3e-9, hi: 4e-9 }],
    ["i32", 4099, { seed: 6 }],
    ["i32", 4099, { ...uniform, lo: -9, hi: 2_000_000_000 }],
    ["bool", 1001, { seed: 8 }],
    ["f16", 4099, { seed: 9 }],
    ["f16", 4099, { seed: 9, mean: 240, std: 1 }],
    ["f16", 4099, { ...uniform, lo: -1e-4, hi: 7e-4 }],
  ] as [DType, number, Attrs][])(
    "%s × %i drawn on the device are the CPU's numbers to the bit",
    async (dtype, size, attrs) => {
      const node = input(dtype, size, attrs);
      const session = createSession(gpu!);
      const plan = planOf(size, []);
      const buffer = {
        value: node.id,
        type: node.type,
        role: "input" as const,
        slot: 0,
        firstKernel: -1,
        lastKernel: 0,
      };
      const bytes = dtype === "f16" ? size * 2 : size * 4;
      const stored = { ...plan, buffers: [{ ...buffer, bytes }], aliases: [{ output: node.id, value: node.id }] };
      const got = async (source: ReturnType<typeof inputFeed>) => {
        const answer = await session.run(stored, new Map([[node.id, source]]));
        if (!answer.ok) throw new Error(answer.problem.text);
        return answer.value[0]!.data;
      };
      const cpu = inputData(node);
      expect(new Set(cpu).size).toBeGreaterThan(1);
      expect(await got(inputFeed(node))).toEqual(await got(cpu));
      expect(Array.from(await got(inputFeed(node)))).toEqual(Array.from(cpu));
      await session.close();
    },
  );
});
