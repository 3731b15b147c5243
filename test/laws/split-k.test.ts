/** @file Products whose k is cut into chunks, and thin products of several right operands: values, counts and shapes of the plan. */
import { expect, test } from "vitest";
import type { Target } from "../../src/fusion/ir";
import { lowerFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf, oneRegion } from "./kernel-harness";

/** A tile, since threads would rather share k of so few outputs. */
const tiled: Target = { ...gpu, knobs: { all: { tile: "32x32x16/4x4" }, kernels: {} } };

/** Programs, whether a second kernel joins chunks, and for which device. */
const CASES: Readonly<Record<string, readonly [split: boolean, text: string, target?: Target]>> = {
  "long k, small sides": [true, "a: f32[20, 4096]\nb: f32[4096, 24]\ny = a @ b", tiled],
  "right operand transposed, with an epilogue": [
    true,
    "a: f32[20, 4100]\nb: f32[24, 4100]\nc: f32[24]\ny = relu(a @ b.T + c)",
    tiled,
  ],
  "k that no chunk divides": [true, "a: f32[18, 4099]\nb: f32[4099, 22]\ny = tanh(a @ b)", tiled],
  "columns that are no whole vectors": [true, "a: f32[17, 3000]\nb: f32[3000, 21]\ny = a @ b * 2", tiled],
  "a batch": [true, "a: f32[2, 16, 3000]\nb: f32[2, 3000, 16]\ny = a @ b", tiled],
  "two products of one operand": [
    true,
    "x: f32[16, 16384]\ng: f32[16384, 16]\nu: f32[16384, 16]\ny = silu(x @ g) * (x @ u)",
  ],
  "one row, two products, rows of weights": [
    false,
    "x: f32[1, 512]\ng: f32[300, 512]\nu: f32[300, 512]\ny = silu(x @ g.T) * (x @ u.T)",
  ],
  "three rows, two products, columns of weights": [
    false,
    "x: f32[3, 256]\ng: f32[256, 72]\nu: f32[256, 72]\ny = silu(x @ g) * (x @ u)\nz = x @ u\nreturn y, z",
  ],
  "one row, three products, odd sizes": [
    false,
    "x: f32[1, 333]\nq: f32[35, 333]\nk: f32[35, 333]\nv: f32[35, 333]\na = x @ q.T\nb = x @ k.T + 1\nc = exp(x @ v.T)\nreturn a, b, c",
  ],
  "a dot product": [true, "a: f32[70000]\nb: f32[70000]\ny = a @ b + 1"],
  "one row, few columns": [true, "x: f32[1, 20000]\nw: f32[20000, 8]\ny = x @ w"],
  "one column, from a transposed operand": [true, "a: f32[8192, 264]\nu: f32[8192]\ny = relu(a.T @ u) + 1"],
  "columns of a batch, whose sizes no vector divides": [
    false,
    "a: f32[3, 1003, 130]\nu: f32[3, 1003, 1]\nb: f32[130]\ny = relu(a.transpose(1, 2) @ u) + b[:, None]",
  ],
  "few columns, rows of weights": [false, "x: f32[2, 20000]\nw: f32[3, 20000]\ny = x @ w.T"],
};

test.each(Object.entries(CASES))("%s", (_, [split, text, target = gpu]) => {
  const whole = oneRegion(graphOf(text));
  for (const each of [target, cpu]) expect(complaints(whole, each, 1e-6)).toEqual([]);
  const [region] = lowerFusion(whole, target, generic);
  expect(region!.facts.schedule.chunks > 1).toBe(split);
  expect(region!.programs.length).toBe(split ? 2 : 1);
  expect(region!.facts.schedule.workgroups).toBe(
    region!.programs[0]!.workgroups.reduce((product, count) => product * count, 1),
  );
});

test("threads stand along a transposed operand, as it lies", () => {
  const whole = oneRegion(graphOf("a: f32[4096, 4096]\nu: f32[4096]\ny = a.T @ u"));
  const [region] = lowerFusion(whole, gpu, generic);
  expect(region!.facts.schedule.thin).toMatchObject({ along: "m", columns: 1 });
  expect(region!.programs[0]!.schedule).toContain("One workgroup per 32 rows");
});
