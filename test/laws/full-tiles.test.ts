/** @file Threads that have something to do: a product's tiles do not stop where a matrix of a batch does, and short rows share a workgroup. */
import { describe, expect, test } from "vitest";
import { lowerFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf, oneRegion } from "./kernel-harness";

/** Workgroups and threads of the only kernel, in which everything is computed. */
function gridOf(text: string): { workgroups: number; threads: number } {
  const [kernel] = lowerFusion(oneRegion(graphOf(text)), gpu, generic);
  const { workgroups, workgroupSize } = kernel!.programs[0]!;
  const product = (sizes: readonly number[]): number => sizes.reduce((all, each) => all * each, 1);
  return { workgroups: product(workgroups), threads: product(workgroupSize) };
}

describe("products", () => {
  const SIZES = [
    [32, 197, 768, 768],
    [64, 1, 1024, 1000],
    [7, 49, 96, 130],
    [2048, 64, 64, 64],
    [3, 130, 8, 5],
    [16, 7, 300, 20],
  ] as const;

  test.each(SIZES)("%i×%i rows of %i, %i columns: as if they were one matrix", (b, t, k, n) => {
    const weight = `w: f32[${k}, ${n}]`;
    const batch = gridOf(`x: f32[${b}, ${t}, ${k}]\n${weight}\ny = x @ w`);
    expect(batch).toEqual(gridOf(`x: f32[${b * t}, ${k}]\n${weight}\ny = x @ w`));
  });

  test.each([
    [32, 256, 512, 196],
    [128, 64, 64, 49],
    [16, 96, 27, 100],
  ])("%i images, %i channels of %i, %i pixels: as few tiles as one image has", (b, m, k, n) => {
    const weight = `w: f32[${m}, ${k}]`;
    const images = gridOf(`x: f32[${b}, ${k}, ${n}]\n${weight}\ny = w @ x`);
    expect(images).toEqual(gridOf(`x: f32[${k}, ${b * n}]\n${weight}\ny = w @ x`));
  });

  test("few columns of many matrices stay with their own: neighbours in memory are stored by neighbours", () => {
    const { workgroups, threads } = gridOf(`x: f32[4096, 4, 4]\nw: f32[4, 4]\ny = w @ x`);
    expect(workgroups * threads).toBe((4096 * 4 * 4) / 4);
  });

  const CASES: Readonly<Record<string, string>> = {
    "rows that end within a vector": `x: f32[3, 13, 20]\nw: f32[20, 24]\nb: f32[24]\ny = relu(x @ w + b)`,
    "heads apart": `x: f32[3, 10, 12]\nw: f32[12, 8]\ny = (x @ w).reshape(3, 10, 2, 4).permute(0, 2, 1, 3)`,
    "pixels that end within a vector": `x: f32[3, 5, 21]\nw: f32[7, 5]\nr: f32[3, 7, 21]\ny = w @ x + r`,
    "pixels in vectors": `x: f32[3, 5, 20]\nw: f32[40, 5]\ny = gelu(w @ x)`,
    "a batch of both, of one, of the other": `x: f32[2, 3, 1, 6, 5]\nw: f32[2, 1, 4, 5, 18]\ny = x @ w`,
    "repeated rows": `x: f32[1, 6, 5]\nw: f32[4, 5, 20]\ny = x @ w`,
    "rows of several matrices, stored column by column": `x: f32[3, 8, 6]\nw: f32[6, 16]\ny = (x @ w).transpose(1, 2)`,
    "one row of each": `x: f32[9, 1, 160]\nw: f32[160, 20]\ny = x @ w`,
    "two products of one operand, one of them with a batch": `x: f32[3, 8, 6]\nv: f32[6, 16]\nw: f32[3, 6, 16]\ny = x @ v\nz = x @ w\nreturn y, z`,
  };
  test.each(Object.entries(CASES))("%s", (_, text) => {
    const fusion = oneRegion(graphOf(text));
    for (const target of [gpu, cpu]) expect(complaints(fusion, target, 1e-9)).toEqual([]);
  });
});

describe("sorts", () => {
  test.each([2, 3, 4, 7, 16, 31, 64, 200])(
    "rows of %i: no more threads to a row than a power of two that holds it",
    (columns) => {
      const rows = 4096;
      const { workgroups, threads } = gridOf(`x: f32[${rows}, ${columns}]\ny = sort(x, dim=-1).values`);
      expect((workgroups * threads) / rows).toBeLessThanOrEqual(2 ** Math.ceil(Math.log2(columns)));
    },
  );

  const CASES: Readonly<Record<string, string>> = {
    "values and where they stood": `x: f32[37, 4]\nv, i = sort(x, dim=-1)\nreturn v, i`,
    "an odd number of rows, the first few": `x: f32[5, 6, 7]\nv, i = topk(x, 3, dim=-1)\nreturn v, i`,
    "more of the first than threads": `x: f32[3000, 8]\nv, i = topk(x, 7, dim=-1)\nreturn v, i`,
    "whole numbers, with equals": `x: i32[9, 20] = uniform(0, 7)\ny = argsort(x, dim=1)`,
    "another axis": `x: f32[4, 5, 6]\ny = sort(x, dim=1).values`,
    "a scan behind it": `x: f32[33, 50]\ny = cumsum(sort(x, dim=-1).values, dim=-1)`,
    "a fold before and behind": `x: f32[33, 12]\nz = x - x.mean(dim=-1, keepdim=True)\ny = sort(z, dim=-1).values * z.amax(dim=-1, keepdim=True)`,
  };
  test.each(Object.entries(CASES))("%s", (_, text) => {
    const fusion = oneRegion(graphOf(text));
    for (const target of [gpu, cpu]) expect(complaints(fusion, target, 1e-9)).toEqual([]);
  });
});
