/** @file Borders of every mode before what reads them at several positions: the reference's values and exact counts. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { complaints, gpu, graphOf } from "./kernel-harness";
import { compiled, trafficFaults, valueFaults } from "./pass-harness";

/** What reads `p`, the padded value of shape [B, 2, h, w] with w of at least 5 and h of at least 3. */
const READERS = [
  "F.conv2d(p, k, groups=2)",
  "F.conv2d(p, k[:, :, 0:1], groups=2) * 2",
  "F.avg_pool2d(p, 3, stride=1)",
  "F.max_pool2d(exp(p), 3, stride=2)",
  "p[..., 2:] + 2 * p[..., 1:-1] + p[..., :-2]",
  "p[..., 2:, :] - p[..., :-2, :]",
  "p.mT + 1",
  "p.sum(dim=-1)",
];

const program = fc
  .record({
    mode: fc.constantFrom("replicate", "reflect", "circular", "constant"),
    batch: fc.constantFrom(1, 2),
    h: fc.integer({ min: 3, max: 6 }),
    w: fc.integer({ min: 5, max: 13 }),
    pads: fc.array(fc.nat({ max: 2 }), { minLength: 4, maxLength: 4 }),
    reader: fc.constantFrom(...READERS),
    before: fc.constantFrom("x", "x * x", "x + b"),
  })
  .map(({ mode, batch, h, w, pads, reader, before }) =>
    [
      `x: f32[${batch}, 2, ${h}, ${w}]`,
      `b: f32[${w}]`,
      "k: f32[2, 1, 3, 5]",
      `p = F.pad(${before}, (${pads.join(", ")}), mode="${mode}")`,
      `return ${reader}`,
    ].join("\n"),
  );

test("values and counts of every mode, whatever reads them", () => {
  fc.assert(
    fc.property(program, (text) => {
      const compilation = compiled(graphOf(text));
      const final = fusionAt(compilation, compilation.steps.length);
      expect(valueFaults(compilation.drawn, final)).toEqual([]);
      expect(trafficFaults(final)).toEqual([]);
      expect(complaints(final, gpu, 1e-5)).toEqual([]);
    }),
    { numRuns: 120 },
  );
});
