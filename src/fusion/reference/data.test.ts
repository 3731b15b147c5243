import { describe, expect, test } from "vitest";
import { nodeId, type Attrs, type Node, type TensorType } from "../ir";
import { inputData, inputElement } from "./data";

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

  test("mean 0, variance 1, skewness 0, kurtosis 2.9 as for a sum of twelve, both tails, nothing beyond 6", () => {
    const many = Array.from(inputData(input(f32(500, 1000), { seed: 11 })));
    const moment = (power: number) => many.reduce((sum, x) => sum + x ** power, 0) / many.length;
    expect(Math.abs(moment(1))).toBeLessThan(0.006);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.008);
    expect(Math.abs(moment(3))).toBeLessThan(0.016);
    expect(Math.abs(moment(4) - 2.9)).toBeLessThan(0.05);
    expect(many.filter((x) => x > 2).length / many.length).toBeCloseTo(0.0228, 2);
    expect(many.every((x) => Math.abs(x) < 6 && Number.isInteger(x * 2 ** 16))).toBe(true);
  });

  test("neighbours, and elements of one block, are not correlated", () => {
    const many = Array.from(inputData(input(f32(500, 1000), { seed: 12 })));
    for (const lag of [1, 2, 3, 4, 64, 1000]) {
      const sum = many.reduce((total, x, i) => total + (i >= lag ? x * many[i - lag]! : 0), 0);
      expect(Math.abs(sum / many.length)).toBeLessThan(0.006);
    }
  });

  test("an element by itself is the element among all", () => {
    for (const dtype of ["f32", "i32", "bool", "f16"] as const) {
      const uniform: Attrs = { source: "uniform", lo: -2.5, hi: 7, seed: 4 };
      for (const attrs of [{ seed: 3 } as Attrs, uniform, { source: "arange" } as Attrs]) {
        const node = input({ dtype, shape: [3, 37] }, attrs);
        const [all, at] = [inputData(node), inputElement(node)];
        for (const flat of [110, 0, 7, 6, 5, 64]) expect(at(flat)).toBe(all[flat]);
      }
    }
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
        -1.2076873779296875,
        0.09033203125,
        0.1589813232421875,
        0.48583984375,
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
  expect(uniform.every((x) => x >= -2 && x < 3)).toBe(true);
  expect(uniform.reduce((sum, x) => sum + x, 0) / 5000).toBeCloseTo(0.5, 0);
});

test("uniform numbers reach all of a range and nothing outside, also narrow, far from 0, and empty ones", () => {
  const drawn = (lo: number, hi: number, type = f32(20_000)) =>
    Array.from(inputData(input(type, { source: "uniform", lo, hi, seed: 9 })));
  for (const [lo, hi] of [
    [0, 1],
    [-0.01, 0.01],
    [1000, 1000.5],
    [-3e5, 7],
    [1e-8, 3e-8],
  ] as const) {
    const values = drawn(lo, hi);
    const slack = 2 ** -23 * Math.max(Math.abs(lo), Math.abs(hi));
    expect(Math.min(...values)).toBeGreaterThanOrEqual(lo - slack);
    expect(Math.max(...values)).toBeLessThan(hi + slack);
    expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(0.99 * (hi - lo));
    const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
    expect(Math.abs(mean - (lo + hi) / 2) / (hi - lo)).toBeLessThan(0.01);
    expect(values.every((x) => Math.fround(x) === x)).toBe(true);
  }
  expect(new Set(drawn(2, 2))).toEqual(new Set([2]));
  expect(new Set(drawn(-3, 2, { dtype: "i32", shape: [2000] }))).toEqual(new Set([-3, -2, -1, 0, 1]));
});
