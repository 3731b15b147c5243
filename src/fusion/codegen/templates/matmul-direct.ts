/** @file Matmul without workgroup memory: 4×4 outputs in registers for CPU adapters, a vector of outputs per thread for small ones. */
import { programOf, threadPerItem, type Job } from "../frame";
import { literal, type KernelProgram, type Reg, type Value } from "../kernel-ir";
import { Contraction } from "./contraction";
import { lowerMatmulThin } from "./matmul-thin";

/** Variant `matmul-registers`. */
export const lowerMatmulRegisters = (job: Job): KernelProgram =>
  lowerBlock(job, Math.min(4, new Contraction(job).sizes.m));
/** Variant `matmul-direct`. */
export const lowerMatmulDirect = (job: Job): KernelProgram => lowerMatmulThin(job) ?? lowerBlock(job, 1);

/** A thread keeps `rows`×4 outputs in registers and walks k. */
function lowerBlock(job: Job, rows: number): KernelProgram {
  const c = new Contraction(job);
  const { low, space, sizes } = c;
  const [columns, bands] = [Math.ceil(sizes.n / 4), Math.ceil(sizes.m / rows)];
  const threads = Math.min(64, job.schedule.threadsPerWorkgroup);
  const grid = threadPerItem(low, columns * bands * sizes.batch, threads, job.target);
  const unit = low.bind("unit", space.mod(grid.index, columns));
  const band = low.bind("band", space.mod(space.div(grid.index, columns), bands));
  const batch = low.bind("batch", space.div(grid.index, columns * bands));
  const lines = Array.from({ length: rows }, (_, i) => space.add(space.mul(band, rows), space.int(i)));
  const held = lines.map((m) => space.clamp(m, sizes.m - 1));
  const n = c.quad(unit, sizes.n).at;
  const accs = lines.map((_, i) => low.variable(`c_${i}`, c.scalar, 4, literal(0, c.scalar), [c.id]));
  const step = (a: readonly Value[], lane: number | null, b: Value): void =>
    accs.forEach((acc: Reg, i) => c.fma(acc, a[i]!, lane, b));
  const byFours = sizes.k > 0 && sizes.k % 4 === 0 && c.alongK(0);
  low.loop("k", byFours ? sizes.k / 4 : sizes.k, (k) => {
    if (!byFours) {
      step(held.map((m) => c.left(batch, m, k)), null, c.right(batch, k, n)); // prettier-ignore
      return;
    }
    const first = space.mul(k, 4);
    const a = held.map((m) => c.left(batch, m, space.add(first, space.of(space.lane))));
    for (const lane of [0, 1, 2, 3]) step(a, lane, c.right(batch, space.add(first, space.int(lane)), n));
  });
  lines.forEach((m, i) => c.finish(accs[i]!, batch, m, unit));
  return programOf(low, job, {
    template: "matmul",
    schedule: `One thread per ${rows}×4 outputs, held in registers; k in order.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}
