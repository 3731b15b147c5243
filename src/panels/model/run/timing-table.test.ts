import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { timingCsv, timingMarkdown } from "./timing-table";

const { naivePlan, fusedPlan } = compile("x: f32[64, 64]\ny = log(relu(x))\n", defaultOptions);
const run = {
  predictedFor: null,
  plans: { naive: naivePlan, step: null, fused: fusedPlan },
  result: {
    device: { name: "a GPU, rev | 2", software: false, clock: "timestamp-query", tickNanos: 100 },
    timings: [
      { plan: "naive", kernel: null, nanoseconds: [8e4, 9e4, 11e4], repeats: 4 },
      { plan: "fused", kernel: null, nanoseconds: [3e4], repeats: 4 },
      { plan: "fused", kernel: "K1", nanoseconds: [2.5e4], repeats: 4 },
    ],
  },
} as unknown as FinishedRun;

test("CSV has a line for each time, with its device, in numbers", () => {
  const [head, ...lines] = timingCsv(run).split("\n");
  expect(head).toBe("time of,median µs,half spread µs,samples,predicted µs,device,clock,resolution ns");
  expect(lines).toEqual([
    'naive,90,7.5,3,,"a GPU, rev | 2",timestamp-query,100',
    'fused,30,0,1,,"a GPU, rev | 2",timestamp-query,100',
    '"fused, K1 relu log",25,0,1,,"a GPU, rev | 2",timestamp-query,100',
  ]);
});

test("Markdown says whose times they are, and no bar of a name breaks the table", () => {
  const lines = timingMarkdown(run).split("\n");
  expect(lines[0]).toBe("Measured on a GPU, rev | 2; GPU clock, timer resolution 100 ns ÷ 4.");
  expect(lines.filter((line) => line.startsWith("| ")).map((line) => line.split(/(?<!\\)\|/).length)).toEqual([
    6, 6, 6, 6, 6,
  ]);
  expect(lines).toContain("| fused | 30 µs ±0 | – | 1 |");
});
