import { describe, expect, test } from "vitest";
import { nodeId, type Attrs, type Node, type TensorType } from "../ir";
import { inputData } from "./data";

const input = (type: TensorType, attrs: Attrs = {}, id = "x"): Node => ({
  id: nodeId(id),
  op: "input",
  inputs: [],
  attrs: { role: "input", source: "randn", ...attrs },
  type,
  label: id,
  origins: [],
  groups: [],
});
const f32 = (...shape: number[]): TensorType => ({ dtype: "f32", shape });

describe("randn", () => {
  const data = Array.from(inputData(input(f32(100, 200), { seed: 7 })));

  test("mean 0, variance 1, both tails, all finite", () => {
    const mean = data.reduce((sum, x) => sum + x, 0) / data.length;
    const variance = data.reduce((sum, x) => sum + (x - mean) ** 2, 0) / data.length;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(Math.abs(variance - 1)).toBeLessThan(0.05);
    expect(data.filter((x) => x > 2).length / data.length).toBeCloseTo(0.0228, 2);
    expect(data.every(Number.isFinite)).toBe(true);
  });

  test("the same seed, the same numbers, whatever the shape; another seed or name, others", () => {
    expect([...inputData(input(f32(5), { seed: 7 }))]).toEqual(data.slice(0, 5));
    expect([...inputData(input(f32(5), { seed: 8 }))]).not.toEqual(data.slice(0, 5));
    expect(inputData(input(f32(5), { seed: null }, "a"))).not.toEqual(inputData(input(f32(5), { seed: null }, "b")));
    expect(inputData(input(f32(5), { seed: null }, "a"))).toEqual(inputData(input(f32(5), {}, "a")));
  });

  test("the first numbers do not change between versions", () => {
    expect(data.slice(0, 4)).toMatchInlineSnapshot(`
      [
        1.4199012517929077,
        -0.2827354669570923,
        0.25749093294143677,
        -1.2142019271850586,
      ]
    `);
  });

  test("in i32 whole numbers from 0 to 9, in bool coins, in f16 what an f16 holds", () => {
    const whole = inputData(input({ dtype: "i32", shape: [2000] }));
    expect(whole).toBeInstanceOf(Int32Array);
    expect([Math.min(...whole), Math.max(...whole)]).toEqual([0, 9]);
    const coins = inputData(input({ dtype: "bool", shape: [2000] }));
    expect(coins).toBeInstanceOf(Uint32Array);
    expect(new Set(coins)).toEqual(new Set([0, 1]));
    const half = inputData(input({ dtype: "f16", shape: [50] }));
    expect([...half].every((x) => Number.isInteger(x * 2 ** 24) && Math.abs(x) < 65504)).toBe(true);
  });
});

test("the other sources", () => {
  expect([...inputData(input(f32(3), { source: "zeros" }))]).toEqual([0, 0, 0]);
  expect([...inputData(input(f32(3), { source: "ones" }))]).toEqual([1, 1, 1]);
  expect([...inputData(input({ dtype: "i32", shape: [3] }, { source: "arange" }))]).toEqual([0, 1, 2]);
  expect([...inputData(input(f32(2, 2), { source: "values", values: [1, 2, 3, 4] }))]).toEqual([1, 2, 3, 4]);
  expect([...inputData(input({ dtype: "bool", shape: [3] }, { source: "values", values: [0, 5, 1] }))]).toEqual([
    0, 1, 1,
  ]);
  const uniform = Array.from(inputData(input(f32(5000), { source: "uniform", lo: -2, hi: 3 })));
  expect(uniform.every((x) => x >= -2 && x <= 3)).toBe(true);
  expect(uniform.reduce((sum, x) => sum + x, 0) / 5000).toBeCloseTo(0.5, 0);
});
