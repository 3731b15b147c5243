/** @file Rows that are normalised in one shape and stored in another: one kernel, and the values are those of the reference. */
import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion";
import { complaints, cpu, gpu, graphOf, oneEach, oneRegion } from "./kernel-harness";

const programs: readonly (readonly [name: string, kernels: number, text: string])[] = [
  ["softmax, transposed", 1, "x: f32[24, 36]\ny = softmax(x).T"],
  ["softmax, transposed, odd", 1, "x: f32[7, 33]\ny = softmax(x).T * 2"],
  ["softmax of columns, transposed", 1, "x: f32[40, 12]\ny = softmax(x, dim=0).T"],
  ["long rows, transposed", 1, "x: f32[4, 9000]\ny = softmax(x).T"],
  ["softmax, split into heads", 1, "x: f32[6, 64]\nb: f32[4, 1]\ny = softmax(x).reshape(6, 4, 16) + b"],
  ["heads swapped", 1, "x: f32[2, 6, 4, 16]\ny = softmax(x).transpose(1, 2) + 1"],
  ["group_norm", 1, "x: f32[2, 8, 6, 6]\nw: f32[8]\nb: f32[8]\ny = relu(group_norm(x, 4, w, b))"],
  ["group_norm of odd images", 1, "x: f32[2, 6, 5, 7]\nw: f32[6]\nb: f32[6]\ny = group_norm(x, 3, w, b)"],
  [
    "group_norm after a residual that is stored",
    1,
    "x: f32[2, 8, 6, 6]\nr: f32[2, 8, 6, 6]\nh = x + r\ny = group_norm(h, 2)\nreturn h, y",
  ],
  [
    "group_norm of long rows",
    2,
    "x: f32[1, 8, 40, 40]\nw: f32[8]\nb: f32[8]\nr: f32[8, 40, 40]\ny = group_norm(x, 2, w, b) + r",
  ],
  [
    "batch_norm in training",
    1,
    "x: f32[4, 6, 5, 7]\nw: f32[6]\nb: f32[6]\ny = relu(batch_norm(x, weight=w, bias=b, training=True))",
  ],
  [
    "batch_norm of large images",
    1,
    "x: f32[2, 3, 40, 40]\nw: f32[3]\nb: f32[3]\ny = batch_norm(x, weight=w, bias=b, training=True)",
  ],
  ["instance_norm", 1, "x: f32[2, 6, 8, 8]\nw: f32[6]\nb: f32[6]\ny = instance_norm(x, w, b)"],
  [
    "rows that meet a viewed mean",
    1,
    "x: f32[6, 4, 16]\nm = x.reshape(6, 64).mean(dim=1, keepdim=True)\ny = x - m.reshape(6, 1, 1)",
  ],
  [
    "means that would meet other rows",
    2,
    "x: f32[6, 6, 16]\nm = x.reshape(6, 96).mean(dim=1)\ny = x - m.reshape(6, 1)",
  ],
  ["a softmax that meets its own transpose", 2, "x: f32[16, 16]\na = softmax(x)\ny = a + a.T"],
];

test.each(programs)("%s: %i", (_, kernels, text) => {
  const graph = graphOf(text);
  const fusions = kernels === 1 ? [oneEach(graph), oneRegion(graph)] : [oneEach(graph)];
  for (const fusion of fusions) for (const target of [gpu, cpu]) expect(complaints(fusion, target)).toEqual([]);
  expect(compile(`${text}\n`, defaultOptions).fusedPlan!.kernels.length).toBe(kernels);
});
