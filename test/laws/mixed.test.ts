/** @file Rows and columns of one tensor folded in one walk: values, counts and traffic, in both schedules. */
import { describe, expect, test } from "vitest";
import { compile, defaultOptions, type CompileOptions } from "../../src/fusion";
import { generic, targetOf } from "../../src/fusion/cost";
import type { Target } from "../../src/fusion/ir";
import { classify, scheduleRegion } from "../../src/fusion/kernel";
import { complaints, cpu, gpu, graphOf, oneRegion } from "./kernel-harness";
import { kernelOf } from "./regions";

const norm = (rows: number, columns: number): string =>
  [
    `x: f32[${rows}, ${columns}]\ndy: f32[${rows}, ${columns}]\nw: f32[${columns}]`,
    "m = x.mean(dim=-1, keepdim=True)\nc = x - m\nr = rsqrt((c * c).mean(dim=-1, keepdim=True) + 1e-5)\nxh = c * r\ng = dy * w",
    "dx = (g - g.mean(dim=-1, keepdim=True) - xh * (g * xh).mean(dim=-1, keepdim=True)) * r",
    "dw = (dy * xh).sum(dim=0)\ndb = dy.sum(dim=0)\nreturn dx, dw, db",
  ].join("\n");

const CASES: Readonly<Record<string, string>> = {
  "both sums": "x: f32[300, 64]\na = x.sum(dim=0)\nb = x.sum(dim=1)",
  "bands that don't come out even": "x: f32[517, 36]\na = x.amax(dim=0)\nb = x.mean(dim=1)",
  "columns that are no fours": "x: f32[70, 37]\na = x.mean(dim=0, keepdim=True)\nb = (x * x).sum(dim=1)",
  "three axes": "x: f32[9, 31, 40]\na = (x * 2).sum(dim=(0, 1))\nb = x.max(dim=-1)",
  "rows of two axes": "x: f32[65, 5, 8]\na = x.sum(dim=0)\nb = x.sum(dim=(1, 2))",
  "what follows the rows": "x: f32[130, 48]\ns = softmax(x, dim=-1)\na = s.sum(dim=0)\nreturn s, a",
  "the norm's way back": norm(129, 64),
  "long rows": "x: f32[20, 2100]\ns = x - x.mean(dim=-1, keepdim=True)\na = s.amin(dim=0)\nreturn s, a",
  "rows of two tensors, no fours":
    "x: f32[40, 1101]\ny: f32[40, 1101]\na = (x * y).sum(dim=0)\nb = x.amax(dim=1)\nc = y - b.unsqueeze(1)",
  "columns that a lone thread has no room for":
    "x: f32[6, 4100]\ns = x - x.mean(dim=-1, keepdim=True)\na = s.sum(dim=0)\nb = x.amax(dim=0)\nreturn s, a, b",
  "one row": "x: f32[2, 64]\na = x.sum(dim=0)\nb = x.sum(dim=1)",
};

describe.each(Object.entries(CASES))("%s", (_, text) => {
  test.each([["gpu", gpu] as const, ["cpu", cpu] as const])("on a %s", (_name, target) => {
    expect(complaints(oneRegion(graphOf(text)), target)).toEqual([]);
  });
});

const planned = (text: string, given: Partial<CompileOptions> = {}) => {
  const { diagnostics, fusedPlan, steps } = compile(text, { ...defaultOptions, ...given });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return { steps, totals: fusedPlan!.totals };
};

/** How the only region of a program is scheduled. */
function scheduled(text: string, target: Target = targetOf(generic)) {
  const { graph, regions } = oneRegion(graphOf(text));
  const region = [...regions.values()][0]!;
  const form = classify(graph, region.members, region.outputs);
  if (!form.ok) throw new Error(form.verdict.text);
  return scheduleRegion(graph, region, form.form, target);
}

test("a large tensor is read once for both sums", () => {
  const text = "x: f32[8192, 1024]\na = x.sum(dim=0)\nb = x.sum(dim=1)";
  const { totals } = planned(text);
  const partials = scheduled(text).chunks * 1024 * 4;
  expect(totals.kernels).toBe(2);
  expect(totals.bytes).toBe(4 * (8192 * 1024 + 1024 + 8192) + 2 * partials);
});

test("the norm's way back takes its tensors once", () => {
  const { totals } = planned(norm(8192, 1024));
  const { chunks } = scheduled(norm(8192, 1024));
  expect(totals.kernels).toBe(2);
  expect(totals.bytes).toBe(4 * (3 * 8192 * 1024 + 3 * 1024) + 2 * 2 * chunks * 1024 * 4);
});

test.each([1024, 4096, 8192])("norms of rows of %d come back in one walk, however long a row is", (columns) => {
  const rms = [
    `x: f32[8192, ${columns}]\nw: f32[${columns}]\ndy: f32[8192, ${columns}]`,
    `y, pull = vjp(lambda x, w: F.rms_norm(x, (${columns},), w), x, w)\ndx, dw = pull(dy)\nreturn dx, dw`,
  ].join("\n");
  const { totals } = planned(rms);
  const tensor = 4 * 8192 * columns;
  expect(totals.kernels).toBe(2);
  expect(totals.bytes).toBeLessThan(3.3 * tensor);
});

test("the threads of a row are as many as its length asks for, bands as many as the machine runs at once", () => {
  const machine = (multiprocessors: number): Target => ({
    ...targetOf(generic),
    machine: { multiprocessors, bandwidth: 4e12, launchMicros: 2 },
  });
  const [short, long] = [scheduled(norm(8192, 512), machine(132)), scheduled(norm(8192, 4096), machine(132))];
  expect(short.threadsPerWorkgroup).toBeLessThan(long.threadsPerWorkgroup);
  expect(short.threadsPerWorkgroup).toBeLessThanOrEqual(128);
  expect(scheduled(norm(8192, 1024), machine(16)).chunks).toBeLessThan(
    scheduled(norm(8192, 1024), machine(132)).chunks,
  );
});

test("refused with the numbers: columns that a workgroup has no room for, and rows that would wait for columns", () => {
  const wide = oneRegion(graphOf("x: f32[64, 32768]\na = x.sum(dim=0)\nb = x.sum(dim=1)"));
  expect(kernelOf(wide.graph, [...wide.regions.values()][0]!)).toContain("128 KiB");
  const { steps } = planned("x: f32[8192, 1024]\na = x.sum(dim=0)\nb = (x - a).sum(dim=1)\nreturn a, b");
  expect(steps.filter(({ accepted, legal }) => !accepted && legal.code === "L_REDUCE_REDUCE").length).toBeGreaterThan(
    0,
  );
});
