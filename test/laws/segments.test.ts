/** @file Elementwise results of several sizes in one launch: values, counts and prices over random programs, and the merges by hand. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import { generic, totalsOf } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf, oneRegion } from "./kernel-harness";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";

const kernels = (text: string): number => compile(`${text}\n`, defaultOptions).fusedPlan!.kernels.length;

const half = "torch.cat((-x[..., 32:], x[..., :32]), dim=-1)";
const BY_HAND: readonly (readonly [name: string, kernels: number, text: string])[] = [
  [
    "rotary positions of queries and fewer keys",
    1,
    `q: f32[2, 16, 512, 64]\nk: f32[2, 4, 512, 64]\nc: f32[512, 64]\ns: f32[512, 64]\ndef rot(x):\n    return ${half}\nreturn q * c + rot(q) * s, k * c + rot(k) * s`,
  ],
  [
    "two attention states become one",
    1,
    "va: f32[1024, 8, 64]\nsa: f32[1024, 8]\nvb: f32[1024, 8, 64]\nsb: f32[1024, 8]\nm = maximum(sa, sb)\na = exp(sa - m)\nb = exp(sb - m)\nd = a + b\no = va * (a / d)[..., None] + vb * (b / d)[..., None]\nreturn o, log(d) + m",
  ],
  [
    "the same step for parameters of three sizes",
    1,
    "p: f32[512, 256]\ng: f32[512, 256]\nb: f32[512]\nh: f32[512]\nreturn p - 0.1 * g, b - 0.1 * h",
  ],
  ["a scale and what it scales", 1, "s: f32[4096]\nx: f32[4096, 64]\nt = exp(s)\nreturn t, x * t.unsqueeze(-1)"],
  [
    "short results that share nothing and do different things",
    1,
    "a: f32[4096]\nb: f32[64]\nreturn exp(a), tanh(b) + 1",
  ],
  ["a short one beside a long one", 1, "a: f32[8192, 4096]\nb: f32[64]\nreturn exp(a), tanh(b) + 1"],
  ["long ones that share nothing", 2, "a: f32[8192, 4096]\nb: f32[4096, 4096]\nreturn exp(a), tanh(b) + 1"],
  [
    "short ones, and a product that waits for one of them",
    2,
    "a: f32[64, 64]\nb: f32[32]\nw: f32[64, 64]\nt = exp(a)\nreturn t, tanh(t @ w), b + 1",
  ],
];

test.each(BY_HAND)("%s: %i", (_, count, text) => {
  expect(kernels(text)).toBe(count);
});

const ROWS = [1, 2, 3, 5, 8, 16, 33] as const;
const UNARY = ["exp", "tanh", "sigmoid", "abs"] as const;

/** Values of the shapes [r, c], [r, 1] and [c], mixed with one another and all returned. */
const program = fc
  .record({
    rows: fc.constantFrom(...ROWS),
    columns: fc.constantFrom(1, 2, 4, 7, 12),
    dtype: fc.constantFrom("f32", "f16"),
    ops: fc.array(
      fc.record({
        of: fc.nat(),
        with: fc.nat(),
        unary: fc.constantFrom(...UNARY),
        plus: fc.boolean(),
        cut: fc.boolean(),
      }),
      { minLength: 2, maxLength: 6 },
    ),
  })
  .map(({ rows, columns, dtype, ops }) => {
    const lines = [`a: ${dtype}[${rows}, ${columns}]`, `b: ${dtype}[${rows}, 1]`, `c: f32[${columns}]`];
    const names = ["a", "b", "c"];
    const shapes = [
      [rows, columns],
      [rows, 1],
      [1, columns],
    ];
    ops.forEach((op, i) => {
      const [x, y] = [op.of % names.length, op.with % names.length];
      const shape = [0, 1].map((axis) => Math.max(shapes[x]![axis]!, shapes[y]![axis]!));
      const fits = [x, y].every((at) => shapes[at]!.every((extent, axis) => extent === 1 || extent === shape[axis]));
      const text = fits && op.plus ? `${op.unary}(${names[x]!}) + ${names[y]!}` : `${op.unary}(${names[x]!})`;
      const own = fits && op.plus ? shape : shapes[x]!;
      const cut = op.cut && own[0]! > 2 && !(x === 2 && !(fits && op.plus));
      lines.push(`v${i} = ${cut ? `(${text})[1:]` : text}`);
      names.push(`v${i}`);
      shapes.push(cut ? [own[0]! - 1, own[1]!] : own);
    });
    lines.push(`return ${names.slice(3).join(", ")}`);
    return lines.join("\n");
  });

describe("random programs of several sizes", () => {
  test("as one kernel have the reference's values and touch what is counted", () => {
    fc.assert(
      fc.property(program, (text) => {
        const fusion = oneRegion(graphOf(text));
        for (const target of [gpu, cpu]) expect(complaints(fusion, target, 1e-2)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test("as planned keep values and counts, and cost no more than apart", () => {
    fc.assert(
      fc.property(program, (text) => {
        const compilation = compiled(graphOf(text));
        const final = fusionAt(compilation, compilation.steps.length);
        expect(stepFaults(compilation)).toEqual([]);
        expect(valueFaults(compilation.drawn, final)).toEqual([]);
        expect(trafficFaults(final)).toEqual([]);
        const [naive, fused] = [compilation.naive!, final].map((state) => totalsOf(state, generic).predictedMicros);
        expect(fused).toBeLessThanOrEqual(naive! + 1e-9);
      }),
      { numRuns: 25 },
    );
  });
});
