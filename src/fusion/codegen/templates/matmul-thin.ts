/**
 * @file Products with few rows or few columns and a long k: too few outputs to give each thread its own, so that a workgroup
 * shares k out among its threads and joins their sums in workgroup memory.
 */
import { opDef } from "../../ops";
import { LONG_K, THIN, threadsWithin } from "../../region";
import { programOf, workgroupPerItem, type Job } from "../frame";
import type { Index } from "../index-space";
import { literal, type KernelProgram, type Reg, type Value } from "../kernel-ir";
import { mutated } from "../mutations";
import { foldLanes, type Accumulator } from "./accumulate";
import { JoinPlaces, joinThreads } from "./join";
import { Contraction } from "./contraction";
import { spread } from "./rows";

/** Outputs of a workgroup whose threads walk along k: each takes a vector of registers and a row of workgroup memory. */
const MOST_DOTS = 16;
/** Vector columns of a workgroup whose threads stand side by side: 128 bytes of each row of the right operand. */
const ACROSS = 8;

/** The kernel for a thin product, or null where enough threads find work of their own. */
export function lowerMatmulThin(job: Job): KernelProgram | null {
  const c = new Contraction(job);
  const { m, n, k } = c.sizes;
  if (job.target.schedule !== "gpu" || k < LONG_K || m * n === 0 || Math.min(m, n) >= THIN) return null;
  if (n === 1) return lowerDots(c, 1, 1);
  if (m < THIN) return c.alongK(1) ? lowerDots(c, m, share(m, n)) : lowerColumns(c);
  return lowerDots(c, share(n, m), n);
}

const share = (thin: number, long: number): number => Math.max(1, Math.min(4, long, Math.floor(MOST_DOTS / thin)));

/** Threads along k, `rows`×`columns` dot products at once. */
function lowerDots(c: Contraction, rows: number, columns: number): KernelProgram {
  const { low, space, sizes, job } = c;
  const wide = sizes.k % 4 === 0;
  const units = sizes.k / (wide ? 4 : 1);
  const threads = Math.min(threadsWithin(job.target, 4 * rows * columns), 2 ** Math.ceil(Math.log2(units)));
  const [down, across] = [Math.ceil(sizes.m / rows), Math.ceil(sizes.n / columns)];
  const grid = workgroupPerItem(low, down * across * sizes.batch, threads, job.target, "block");
  const top = space.mul(space.mod(space.div(grid.index, across), down), rows);
  const left = space.mul(space.mod(grid.index, across), columns);
  const batch = space.div(grid.index, across * down);
  const ms = Array.from({ length: rows }, (_, i) => space.add(top, space.int(i)));
  const ns = Array.from({ length: columns }, (_, j) => space.add(left, space.int(j)));
  const parts = ms.map((_, i) =>
    ns.map((__, j) =>
      low.variable(rows * columns === 1 ? "dot" : `dot_${i}_${j}`, c.scalar, wide ? 4 : 1, literal(0, c.scalar), [
        c.id,
      ]),
    ),
  );
  low.loop("turn", Math.ceil(units / threads), (turn) => {
    const unit = space.add(grid.tid, space.mul(turn, threads));
    const k = spread(space, space.clamp(unit, units - 1), wide);
    const inside = space.less(unit, units);
    const a = ms.map((m) => c.masked(c.left(batch, space.clamp(m, sizes.m - 1), k), inside));
    const b = ns.map((n) => c.masked(c.right(batch, k, space.clamp(n, sizes.n - 1)), inside));
    parts.forEach((row, i) => row.forEach((part, j) => c.fma(part, a[i]!, null, b[j]!)));
  });
  const sums = parts.flat().map((part) => foldLanes(low, sumOf(c, part)));
  const totals = joinThreads(sums, grid.tid, new JoinPlaces(low, threads, job.schedule.joined), 0);
  low.branch(space.less(grid.tid, 1), () => {
    totals.forEach(({ value }, at) => {
      const [m, n] = [ms[Math.floor(at / columns)]!, ns[at % columns]!];
      const exists = space.and(space.less(m, sizes.m), space.less(n, sizes.n));
      low.branch(exists, () => c.finishOne(value, batch, m, n));
    });
  });
  return programOf(low, job, {
    template: "matmul",
    schedule: `One workgroup of ${threads} threads per ${outputs(rows, columns)}, which share k = ${sizes.k} out.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

const outputs = (rows: number, columns: number): string =>
  rows * columns === 1 ? "output" : `${rows}×${columns} outputs`;

const sumOf = (c: Contraction, value: Reg): Accumulator => ({
  id: c.id,
  def: opDef("sum"),
  operand: c.id,
  scalar: c.scalar,
  value,
  position: null,
  settled: false,
});

/** Threads side by side along n, as the right operand lies, and in slices of k; each row is joined by another slice. */
function lowerColumns(c: Contraction): KernelProgram {
  const { low, space, sizes, job } = c;
  // Two vectors a thread: a row's part, and the next row's.
  const threads = threadsWithin(job.target, 2 * 16);
  const slices = threads / ACROSS;
  const across = Math.ceil(sizes.n / (4 * ACROSS));
  const grid = workgroupPerItem(low, across * sizes.batch, threads, job.target, "block");
  const slice = low.bind("slice", space.div(grid.tid, ACROSS));
  const lane = low.bind("beside", space.mod(grid.tid, ACROSS));
  const unit = low.bind("unit", space.add(space.mul(space.mod(grid.index, across), ACROSS), lane));
  const batch = space.div(grid.index, across);
  const n = c.quad(unit, sizes.n).at;
  const accs = Array.from({ length: sizes.m }, (_, m) =>
    low.variable(`c_${m}`, c.scalar, 4, literal(0, c.scalar), [c.id]),
  );
  walkSlices(c, slices, slice, (a, step, b) => accs.forEach((acc, m) => c.fma(acc, a[m]!, step, b)), batch, n);
  const cells = [0, 1].map((turn) => low.sharedArray(turn === 0 ? "partial" : "partial_2", c.scalar, threads, 4));
  accs.forEach((acc, m) => {
    // Two arrays in turn: whoever writes row m+2 has passed the barrier of row m+1, and by then row m is joined.
    const array = cells[mutated("early-reuse") ? 0 : m % 2]!;
    low.emit({ kind: "storeShared", array, index: grid.tid, value: acc, lane: null, nodes: [c.id] });
    low.barrier();
    const mine = m % slices;
    low.branch(space.and(space.atLeast(slice, mine), space.less(slice, mine + 1)), () => {
      const total = low.variable("total", c.scalar, 4, literal(0, c.scalar), [c.id]);
      low.loop("other", slices, (other) => {
        const index = space.add(space.mul(other, ACROSS), lane);
        const part = low.let("part", c.scalar, 4, { kind: "loadShared", array, index }, [c.id]);
        low.set(total, { kind: "combine", def: opDef("sum"), a: total, b: part }, [c.id]);
      });
      c.finish(total, batch, space.int(m), unit);
    });
  });
  return programOf(low, job, {
    template: "matmul",
    schedule: `One workgroup per ${4 * ACROSS} columns: ${slices} slices of k = ${sizes.k}, ${ACROSS} threads side by side.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** Every `slices`-th vector (or value) of k, with all rows of the left operand there. */
function walkSlices(
  c: Contraction,
  slices: number,
  slice: Index,
  step: (a: readonly Value[], lane: number | null, b: Value) => void,
  batch: Index,
  n: Index,
): void {
  const { low, space, sizes } = c;
  const byFours = sizes.k % 4 === 0 && c.alongK(0);
  const units = sizes.k / (byFours ? 4 : 1);
  const rows = Array.from({ length: sizes.m }, (_, m) => space.int(m));
  low.loop("turn", Math.ceil(units / slices), (turn) => {
    const unit = space.add(slice, space.mul(turn, slices));
    const inside = space.less(unit, units);
    const first = space.mul(space.clamp(unit, units - 1), byFours ? 4 : 1);
    const at = byFours ? space.add(first, space.of(space.lane)) : first;
    const a = rows.map((m) => c.masked(c.left(batch, m, at), inside));
    for (const lane of byFours ? [0, 1, 2, 3] : [null]) {
      const b = c.right(batch, space.add(first, space.int(lane ?? 0)), n);
      step(a, lane, c.masked(b, inside));
    }
  });
}
