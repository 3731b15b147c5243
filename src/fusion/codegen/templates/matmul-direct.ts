/** @file Matmul without workgroup memory: 4×4 outputs in registers for CPU adapters, a vector of outputs per thread for thin shapes, a workgroup per row for matrix times vector. */
import { opDef } from "../../ops";
import { programOf, threadPerItem, workgroupPerItem, type Job } from "../frame";
import { literal, type KernelProgram, type Reg, type Value } from "../kernel-ir";
import { foldLanes, TreePlaces, treeReduce, type Accumulator } from "./accumulate";
import { Contraction } from "./contraction";
import { spread } from "./rows";

/** Variant `matmul-registers`. */
export const lowerMatmulRegisters = (job: Job): KernelProgram =>
  lowerBlock(job, Math.min(4, new Contraction(job).sizes.m));
/** Variant `matmul-direct`. */
export function lowerMatmulDirect(job: Job): KernelProgram {
  const { sizes } = new Contraction(job);
  const tall = sizes.n === 1 && sizes.k >= LONG_ROW && job.target.schedule === "gpu";
  return tall ? lowerMatrixVector(job) : lowerBlock(job, 1);
}

/** From here on a row times a vector is worth a workgroup: its threads then read neighbouring words. */
const LONG_ROW = 128;

/** One workgroup per row: the product with one column is a fold of each row. */
function lowerMatrixVector(job: Job): KernelProgram {
  const c = new Contraction(job);
  const { low, space, sizes } = c;
  const wide = sizes.k % 4 === 0;
  const units = sizes.k / (wide ? 4 : 1);
  const threads = Math.min(256, job.target.maxWorkgroupSize, 2 ** Math.ceil(Math.log2(units)));
  const grid = workgroupPerItem(low, sizes.m * sizes.batch, threads, job.target);
  const [m, batch] = [space.mod(grid.index, sizes.m), space.div(grid.index, sizes.m)];
  const acc = low.variable("dot", c.scalar, wide ? 4 : 1, literal(0, c.scalar), [c.id]);
  low.loop("turn", Math.ceil(units / threads), (turn) => {
    const unit = space.add(grid.tid, space.mul(turn, threads));
    const k = spread(space, space.clamp(unit, units - 1), wide);
    const a = c.masked(c.left(batch, m, k), space.less(unit, units));
    c.fma(acc, a, null, c.masked(c.right(batch, k, space.int(0)), space.less(unit, units)));
  });
  const def = opDef("sum");
  const part: Accumulator = {
    id: c.id,
    def,
    operand: c.id,
    scalar: c.scalar,
    value: acc,
    position: null,
    settled: false,
  };
  const [total] = treeReduce(low, [foldLanes(low, part)], grid.tid, new TreePlaces(low, threads), 0);
  low.branch(space.less(grid.tid, 1), () => c.finishOne(total!.value, batch, m));
  return programOf(low, job, {
    template: "matmul",
    schedule: `One workgroup of ${threads} threads per row of ${sizes.k}.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

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
