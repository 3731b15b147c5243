/** @file What follows from the folds of a row is counted as often as the kernel's threads compute it: all of them that share the row. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { generic } from "../../src/fusion/cost";
import { node, type Target } from "../../src/fusion/ir";
import { classify, evaluationsOf } from "../../src/fusion/kernel";
import type { OpDef } from "../../src/fusion/ops";
import { lowerFusion, type LoweredRegion } from "../../src/fusion/plan";
import { cpu, gpu, graphOf, oneRegion } from "./kernel-harness";
import { writtenOps } from "./written-ops";

const isTanh = ({ name }: Pick<OpDef, "name">): number => Number(name === "tanh");

/** How often `tanh` is counted, and written; null where the program is no kernel, or nothing can be told. */
function tanhsOf(text: string, target: Target): { readonly counted: number; readonly written: number } | null {
  const fusion = oneRegion(graphOf(text));
  const { graph } = fusion;
  const [region] = [...fusion.regions.values()];
  if (!classify(graph, region!.members, region!.outputs).ok) return null;
  const [{ facts, programs }] = lowerFusion(fusion, target, generic) as [LoweredRegion];
  const written = programs.map((program) => writtenOps(program, isTanh));
  if (written.includes(null)) return null;
  let counted = 0;
  for (const [id, times] of evaluationsOf(graph, region!, facts.form, facts.schedule))
    counted += times * isTanh({ name: node(graph, id).op });
  return { counted, written: written.reduce<number>((sum, each) => sum + each!, 0) };
}

const RESULTS = ["t", "x - t", "x * t + t", "cumsum(x, dim=1) * t"];
const rows = fc
  .record({
    rows: fc.constantFrom(1, 2, 64, 512),
    columns: fc.constantFrom(8, 32, 256, 4096, 65_536),
    across: fc.boolean(),
    fold: fc.constantFrom("mean", "sum", "amax"),
    product: fc.boolean(),
    result: fc.constantFrom(...RESULTS),
  })
  // Rows of a tile that are only folded, and those of a tile that is not full, are shared otherwise.
  .filter(
    ({ rows: count, columns, product, result }) =>
      count * columns <= 2 ** 20 && (!product || (count >= 64 && result !== "t")),
  )
  .map(({ rows: count, columns, across, fold, product, result }) => {
    const shape = across ? [columns, count] : [count, columns];
    const x = product ? `a: f32[${count}, 16]\nb: f32[16, 64]\nx = a @ b` : `x: f32[${shape.join(", ")}]`;
    const axis = across && !product ? 0 : 1;
    return `${x}\nt = tanh(x.${fold}(dim=${axis}, keepdim=True)) * 2\nreturn ${result}`;
  });

test("a value of a row is counted in each thread that computes it", { timeout: 120_000 }, () => {
  const seen = { gpu: 0, cpu: 0 };
  fc.assert(
    fc.property(rows, fc.constantFrom(gpu, cpu), (text, target) => {
      const found = tanhsOf(text, target);
      if (found) seen[target.schedule]++;
      expect(found?.counted).toBe(found?.written);
    }),
    { numRuns: 150, seed: 20261128 },
  );
  expect(seen.gpu).toBeGreaterThan(30);
  expect(seen.cpu).toBeGreaterThan(20);
});
