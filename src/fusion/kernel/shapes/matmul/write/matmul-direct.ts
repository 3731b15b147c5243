/** @file Matmul without workgroup memory: 4×4 outputs in registers for CPU adapters, a vector of outputs per thread for small ones. */
import { programOf, threadPerItem, type Job } from "../../../emit/kernel-frame";
import { literal, type KernelProgram, type Reg, type Value } from "../../../emit/kernel-ir";
import type { Index } from "../../../emit/index-space";
import { areSideBySide, depthsOf, type Depth } from "../direct";
import { Contraction, finishAll, finishOneOfEach, productsIn } from "./contraction";
import { lowerMatmulSliding } from "./matmul-sliding";
import { lowerMatmulThin } from "./matmul-thin";

/** Variant `matmul-registers`. */
export const lowerMatmulRegisters = (job: Job): KernelProgram =>
  lowerBlock(job, Math.min(4, new Contraction(job).sizes.m));
/** Variant `matmul-direct`. */
export function lowerMatmulDirect(job: Job): KernelProgram[] {
  const { thin, sliding } = job.schedule;
  if (thin) return lowerMatmulThin(job, thin);
  if (sliding) return [lowerMatmulSliding(job, sliding)];
  return [job.schedule.alone === 1 ? lowerSingles(job) : lowerBlock(job, 1)];
}

/** Asks for each of k, taps that stand side by side one after the other. */
function walkDepths({ low, space, job }: Contraction, depths: readonly Depth[], visit: (k: Index) => void): void {
  const sideBySide = areSideBySide(depths, job.target);
  const nest = (level: number, k: Index): void => {
    if (level === depths.length) return visit(k);
    const { name, extent } = depths[level]!;
    const inner = (i: Index): void => nest(level + 1, space.add(space.mul(k, extent), i));
    if (sideBySide && level === depths.length - 1) for (let i = 0; i < extent; i++) inner(space.int(i));
    else low.loop(name, extent, inner);
  };
  low.lean = sideBySide;
  nest(0, space.int(0));
  low.lean = false;
}

/** A thread walks k for one output of one row: its neighbours load what lies beside what it loads. */
function lowerSingles(job: Job): KernelProgram {
  const c = new Contraction(job);
  const { low, space, sizes } = c;
  const threads = job.schedule.threadsPerWorkgroup;
  const grid = threadPerItem(low, sizes.n * sizes.batch, threads, job.target);
  const column = low.bind("column", space.mod(grid.index, sizes.n));
  const batch = low.bind("batch", space.div(grid.index, sizes.n));
  const row = space.int(0);
  const acc = low.variable("c", c.scalar, 1, literal(0, c.scalar), [c.id]);
  walkDepths(c, depthsOf(job.graph, c.id, sizes), (k) =>
    c.fma(acc, c.left(batch, row, k), null, c.right(batch, k, column)),
  );
  finishOneOfEach([c], [acc], batch, row, column);
  return programOf(low, job, {
    template: "matmul",
    schedule: "One thread per output; k in order.",
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** A thread keeps `rows`×4 outputs in registers and walks k. */
function lowerBlock(job: Job, rows: number): KernelProgram {
  const c = new Contraction(job);
  const { low, space, sizes } = c;
  const [columns, bands] = [Math.ceil(sizes.n / 4), Math.ceil(sizes.m / rows)];
  const threads = job.schedule.threadsPerWorkgroup;
  const grid = threadPerItem(low, columns * bands * sizes.batch, threads, job.target);
  const unit = low.bind("unit", space.mod(grid.index, columns));
  const band = low.bind("band", space.mod(space.div(grid.index, columns), bands));
  const batch = low.bind("batch", space.div(grid.index, columns * bands));
  const lines = Array.from({ length: rows }, (_, i) => space.add(space.mul(band, rows), space.int(i)));
  const held = lines.map((m) => space.clamp(m, sizes.m - 1));
  const n = c.quad(unit, sizes.n).at;
  const products = productsIn(job, c);
  const accs = products.map(({ scalar, id }, p) =>
    lines.map((_, i) => low.variable(`${"cdef"[p]}_${i}`, scalar, 4, literal(0, scalar), [id])),
  );
  const step = (a: readonly Value[], lane: number | null, k: Index): void =>
    products.forEach((product, p) => {
      const b = product.right(batch, k, n);
      accs[p]!.forEach((acc: Reg, i) => product.fma(acc, a[i]!, lane, b));
    });
  const depths = depthsOf(job.graph, c.id, sizes);
  const byFours = depths.length === 1 && sizes.k > 0 && sizes.k % 4 === 0 && c.alongK(0);
  if (!byFours)
    walkDepths(c, depths, (k) =>
      step(
        held.map((m) => c.left(batch, m, k)),
        null,
        k,
      ),
    );
  low.loop("k", byFours ? sizes.k / 4 : 0, (k) => {
    const first = space.mul(k, 4);
    const a = held.map((m) => c.left(batch, m, space.add(first, space.of(space.lane))));
    for (const lane of [0, 1, 2, 3]) step(a, lane, space.add(first, space.int(lane)));
  });
  lines.forEach((m, i) =>
    finishAll(
      products,
      accs.map((own) => own[i]!),
      batch,
      m,
      unit,
    ),
  );
  return programOf(low, job, {
    template: "matmul",
    schedule: `One thread per ${rows}×4 outputs, held in registers; k in order.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}
