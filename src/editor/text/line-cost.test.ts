import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../fusion";
import { costBars, lineCosts } from "./line-cost";

const text = "x: f32[64, 32]\nw: f32[32]\nb: f32[32]\n\nh = layer_norm(x, w, b)\ny = h + x\nreturn y\n";

test("the lines' bytes and FLOPs add up to the naive plan's", () => {
  for (const granularity of ["op", "primitive"] as const) {
    const compilation = compile(text, { ...defaultOptions, granularity });
    const costs = lineCosts(compilation);
    const plan = compilation.naivePlan!;
    expect(costs.map(({ line }) => line)).toEqual([5, 6]);
    expect(costs.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(plan.totals.bytes);
    expect(costs.reduce((sum, { flops }) => sum + flops, 0)).toBe(
      plan.kernels.reduce((sum, { flops }) => sum + flops, 0),
    );
  }
});

test("bars are scaled to their own largest line, and small ones stay visible", () => {
  const bars = costBars([
    { line: 1, flops: 1000, bytes: 10 },
    { line: 2, flops: 1, bytes: 1000 },
    { line: 3, flops: 0, bytes: 500 },
  ]);
  expect([bars.get(1)!.flopWidth, bars.get(2)!.flopWidth, bars.get(3)!.flopWidth]).toEqual([22, 4, 0]);
  expect([bars.get(1)!.byteWidth, bars.get(2)!.byteWidth, bars.get(3)!.byteWidth]).toEqual([4, 22, 11]);
});

test("a text without a plan costs nothing", () => {
  expect(lineCosts(compile("x: f32[8]\ny = nothing_like_it(x)\n", defaultOptions))).toEqual([]);
});
