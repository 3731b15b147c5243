/** @file Rows that are normalised and then moved inside themselves: one kernel, the reference's values, and nothing from another row. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import { complaints, cpu, gpu, graphOf, oneEach, oneRegion } from "./kernel-harness";
import { compiled, stepFaults, valueFaults } from "./pass-harness";

const norm = "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)";
const programs: readonly (readonly [name: string, kernels: number, text: string])[] = [
  [
    "halves turned by an angle",
    1,
    `x: f32[6, 4, 16]\nc: f32[6, 1, 8]\ns: f32[6, 1, 8]\nn = ${norm}\na = n[..., :8]\nb = n[..., 8:]\ny = torch.cat((a * c - b * s, b * c + a * s), dim=-1)`,
  ],
  ["a row and its mirror", 1, `x: f32[7, 12]\nn = softmax(x)\ny = n + n.flip(-1)`],
  ["a row, shifted", 1, `x: f32[7, 33]\nn = softmax(x)\ny = n - torch.roll(n, 1, dims=-1)`],
  ["a row without its ends", 1, `x: f32[5, 10]\nn = ${norm}\ny = F.pad(n[:, 1:-1], (1, 1)) * 2`],
  ["columns, upside down", 1, "x: f32[12, 40]\nn = softmax(x, dim=0)\ny = n * n.flip(0)"],
  [
    "long rows, halves swapped",
    1,
    `x: f32[3, 9000]\nn = softmax(x)\ny = torch.cat((n[:, 4500:], n[:, :4500]), dim=-1)`,
  ],
  ["softmax of what was moved", 1, `x: f32[6, 16]\nn = ${norm}\ny = softmax(torch.cat((n[:, 8:], -n[:, :8]), dim=-1))`],
  ["a running sum from the other end", 2, "x: f32[7, 33]\ny = relu(cumsum(x, dim=-1).flip(-1))"],
  [
    "a running maximum against its neighbour",
    2,
    "x: f32[7, 33]\nc = cummax(x, dim=-1)\ny = c - torch.roll(c, 1, dims=-1)",
  ],
  ["a sorted row, turned", 1, "x: f32[7, 32]\ny = relu(sort(x, dim=-1).roll(1, dims=-1))"],
  ["rows that are swapped", 2, "x: f32[8, 16]\nn = softmax(x)\ny = n + n.flip(0)"],
];

test.each(programs)("%s: %i", (_, kernels, text) => {
  const graph = graphOf(text);
  for (const fusion of kernels === 1 ? [oneEach(graph), oneRegion(graph)] : [oneEach(graph)])
    for (const target of [gpu, cpu]) expect(complaints(fusion, target)).toEqual([]);
  expect(compile(`${text}\n`, defaultOptions).fusedPlan!.kernels.length).toBe(kernels);
});

/** A norm or softmax along an axis, then moves along that axis, mixed with the row itself. */
const moved = fc
  .record({
    rows: fc.integer({ min: 1, max: 9 }),
    columns: fc.constantFrom(2, 3, 4, 8, 12, 33),
    along: fc.boolean(),
    moves: fc.array(fc.constantFrom("flip", "halves", "shift", "ends", "row"), { minLength: 1, maxLength: 4 }),
  })
  .map(({ rows, columns, along, moves }) => {
    const axis = along ? 1 : 0;
    const shape = along ? [rows, columns] : [columns, rows];
    const cut = (from: string): string => (along ? `[:, ${from}]` : `[${from}]`);
    const half = Math.ceil(columns / 2);
    const lines = [`x: f32[${shape.join(", ")}]`, `w: f32[${shape.join(", ")}]`, `v0 = softmax(x, dim=${axis})`];
    moves.forEach((move, i) => {
      const v = `v${i}`;
      const text = {
        flip: `${v}.flip(${axis}) * w`,
        halves: `torch.cat((-${v}${cut(`${half}:`)}, ${v}${cut(`:${half}`)}), dim=${axis}) + ${v}`,
        shift: `torch.cat((${v}${cut("1:")}, w${cut(":1")}), dim=${axis})`,
        ends: `torch.cat((w${cut(":1")}, ${v}${cut(`1:${columns}`)}), dim=${axis}) * 3`,
        row: `${v} - ${v}.sum(dim=${axis}, keepdim=True)`,
      }[move];
      lines.push(`v${i + 1} = ${text}`);
    });
    return lines.join("\n");
  });

describe("random moves inside rows", () => {
  test("have the reference's values and touch what is counted, as one kernel", () => {
    fc.assert(
      fc.property(moved, (text) => {
        const fusion = oneRegion(graphOf(text));
        for (const target of [gpu, cpu]) expect(complaints(fusion, target, 1e-6)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test("keep values and counts as planned", () => {
    fc.assert(
      fc.property(moved, (text) => {
        const compilation = compiled(graphOf(text));
        const final = fusionAt(compilation, compilation.steps.length);
        expect(stepFaults(compilation)).toEqual([]);
        expect(valueFaults(compilation.drawn, final)).toEqual([]);
        for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-6)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});
