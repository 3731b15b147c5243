/**
 * @file Products with few rows or few columns and a long k: too few outputs to give each thread its own, so that a workgroup
 * shares k out among its threads and joins their sums in workgroup memory. Several products of one left operand share its loads.
 */
import { opDef } from "../../../../ops";
import type { ThinFactors } from "../../../types";
import { programOf, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import { literal, type KernelProgram, type Reg, type SharedArray, type Value } from "../../../emit/kernel-ir";
import { foldLanes, type Accumulator } from "../../../emit/accumulate";
import { JoinMemory, joinThreads } from "../../fold/write/join";
import { ACROSS, rowsJoined } from "../matmul-factors";
import { Contraction, finishAll, finishOneOfEach, productsIn } from "./contraction";
import { lowerJoin } from "./matmul-join";
import { spread } from "../../fold/write/rows";
import { namesOf, partialLowering } from "../../../emit/split";

/** Variant `matmul-direct` where threads share k: one kernel, or one for chunks of k and one that joins them. */
export function lowerMatmulThin(job: Job, thin: ThinFactors): KernelProgram[] {
  const split = job.schedule.chunks > 1;
  const c = split ? new Contraction(job, undefined, partialLowering(job)) : new Contraction(job);
  const products = productsIn(job, c);
  const { along, rows, columns } = thin;
  const program =
    along === "k"
      ? lowerDots(c, products, thin)
      : lowerColumns(c, products, along === "n" ? thin : { ...thin, rows: columns, columns: rows });
  return split ? [program, lowerJoin(job)] : [program];
}

/** The workgroup's block of outputs and its chunk of k. */
interface Block {
  readonly top: Index;
  readonly left: Index;
  readonly batch: Index;
  readonly chunk: Index;
  readonly grid: ReturnType<typeof workgroupPerItem>;
}

function blockOf({ low, space, sizes, job }: Contraction, { rows, columns, threads }: ThinFactors): Block {
  const { chunks } = job.schedule;
  const [down, across] = [Math.ceil(sizes.m / rows), Math.ceil(sizes.n / columns)];
  const blocks = down * across * sizes.batch;
  const grid = workgroupPerItem(low, blocks * chunks, threads, job.target, "block");
  const chunk = chunks === 1 ? space.int(0) : low.bind("chunk", space.div(grid.index, blocks));
  const block = chunks === 1 ? grid.index : low.bind("own", space.mod(grid.index, blocks));
  return {
    grid,
    chunk,
    top: space.mul(space.mod(space.div(block, across), down), rows),
    left: space.mul(space.mod(block, across), columns),
    batch: space.div(block, across * down),
  };
}

/** How many vectors (or values) of k a workgroup walks, and where it starts. */
function walkOf({ space, sizes, job }: Contraction, chunk: Index, width: number): { length: number; start: Index } {
  const { chunks, chunkLength } = job.schedule;
  const length = (chunks === 1 ? sizes.k : chunkLength) / width;
  return { length, start: space.mul(chunk, length) };
}

/** Threads along k, `rows`×`columns` dot products of each right operand at once. */
function lowerDots(c: Contraction, products: readonly Contraction[], thin: ThinFactors): KernelProgram {
  const { low, space, sizes, job } = c;
  const { rows, columns, threads } = thin;
  const wide = sizes.k % 4 === 0;
  const { grid, chunk, top, left, batch } = blockOf(c, thin);
  const { length, start } = walkOf(c, chunk, wide ? 4 : 1);
  const units = sizes.k / (wide ? 4 : 1);
  const ms = Array.from({ length: rows }, (_, i) => space.add(top, space.int(i)));
  const ns = Array.from({ length: columns }, (_, j) => space.add(left, space.int(j)));
  const single = rows * columns === 1;
  const parts = products.map(({ scalar, id }, p) =>
    ms.map((_, i) =>
      ns.map((__, j) => {
        const word = ["dot", "dot_b", "dot_c", "dot_d"][p]!;
        return low.variable(single ? word : `${word}_${i}_${j}`, scalar, wide ? 4 : 1, literal(0, scalar), [id]);
      }),
    ),
  );
  low.loop("turn", Math.ceil(length / threads), (iteration) => {
    const own = space.add(grid.tid, space.mul(iteration, threads));
    const unit = space.add(start, own);
    const k = spread(space, space.clamp(unit, units - 1), wide);
    const inside = space.and(space.less(own, length), space.less(unit, units));
    const a = ms.map((m) => c.masked(c.left(batch, space.clamp(m, sizes.m - 1), k), inside));
    products.forEach((product, p) => {
      const b = ns.map((n) => product.masked(product.right(batch, k, space.clamp(n, sizes.n - 1)), inside));
      parts[p]!.forEach((row, i) => row.forEach((part, j) => product.fma(part, a[i]!, null, b[j]!)));
    });
  });
  const sums = products.flatMap((product, p) => parts[p]!.flat().map((part) => foldLanes(low, sumOf(product, part))));
  const totals = joinThreads(sums, grid.tid, new JoinMemory(low, threads, job.schedule.joined), 0);
  low.branch(space.less(grid.tid, 1), () => {
    for (let at = 0; at < rows * columns; at++) {
      const [m, n] = [ms[Math.floor(at / columns)]!, ns[at % columns]!];
      const values = products.map((_, p) => totals[p * rows * columns + at]!.value);
      low.branch(space.and(space.less(m, sizes.m), space.less(n, sizes.n)), () => {
        if (job.schedule.chunks === 1) return finishOneOfEach(products, values, batch, m, n);
        products.forEach((product, p) => product.leaveOne(values[p]!, chunk, batch, m, n));
      });
    }
  });
  return programOf(low, job, {
    ...(job.schedule.chunks > 1 && namesOf(job, "partials")),
    template: "matmul",
    schedule: `One workgroup of ${threads} threads per ${outputs(rows, columns)}, which share ${lengthText(c)} out.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

const lengthText = ({ job: { schedule }, sizes }: Contraction): string =>
  schedule.chunks === 1 ? `k = ${sizes.k}` : `a chunk of ${schedule.chunkLength} of k = ${sizes.k}`;

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

/** Threads side by side along n, as the right operand lies, and in slices of k; as many rows as fit are joined at once, each by another slice. */
function lowerColumns(c: Contraction, products: readonly Contraction[], thin: ThinFactors): KernelProgram {
  const { low, space, sizes, job } = c;
  const { rows, threads } = thin;
  const slices = threads / ACROSS;
  const { grid, chunk, top, left, batch } = blockOf(c, thin);
  const ms = Array.from({ length: rows }, (_, i) => space.add(top, space.int(i)));
  const slice = low.bind("slice", space.div(grid.tid, ACROSS));
  const lane = low.bind("beside", space.mod(grid.tid, ACROSS));
  const unit = low.bind("unit", space.add(space.div(left, 4), lane));
  const accs = products.map(({ scalar, id }, p) =>
    ms.map((_, m) => low.variable(`${"cdef"[p]}_${m}`, scalar, 4, literal(0, scalar), [id])),
  );
  walkSlices(c, products, accs, { slices, slice, chunk, batch, ms, n: c.quad(unit, sizes.n).at });
  const atOnce = rowsJoined(thin, products.length, job.target);
  const arrays = products.map((product, p): SharedArray =>
    low.sharedArray(`partial${p === 0 ? "" : `_${"cdef"[p]}`}`, product.scalar, threads * atOnce, 4),
  );
  for (let first = 0; first < rows; first += atOnce) {
    const count = Math.min(atOnce, rows - first);
    if (first > 0) low.barrier();
    for (let i = 0; i < count; i++)
      products.forEach(({ id }, p) =>
        low.emit({
          kind: "storeShared",
          array: arrays[p]!,
          index: space.add(grid.tid, space.int(i * threads)),
          value: accs[p]![first + i]!,
          lane: null,
          nodes: [id],
        }),
      );
    low.barrier();
    low.branch(space.less(slice, count), () => {
      const own = count === 1 ? space.int(0) : low.bind("joined", slice, count - 1);
      const m = space.add(space.add(top, space.int(first)), own);
      const totals = products.map(({ id, scalar }, p) => {
        const total = low.variable("total", scalar, 4, literal(0, scalar), [id]);
        low.loop("other", slices, (other) => {
          const index = space.add(space.add(space.mul(own, threads), space.mul(other, ACROSS)), lane);
          const part = low.let("part", scalar, 4, { kind: "loadShared", array: arrays[p]!, index }, [id]);
          low.set(total, { kind: "combine", def: opDef("sum"), a: total, b: part }, [id]);
        });
        return total;
      });
      if (job.schedule.chunks === 1) return finishAll(products, totals, batch, m, unit);
      products.forEach((product, p) => product.leave(totals[p]!, chunk, batch, m, unit));
    });
  }
  return programOf(low, job, {
    ...(job.schedule.chunks > 1 && namesOf(job, "partials")),
    template: "matmul",
    schedule: `One workgroup per ${blockText(c, thin)}: ${slices} slices of ${lengthText(c)}, ${ACROSS} threads side by side.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

function blockText({ sizes }: Contraction, { along, rows }: ThinFactors): string {
  if (along === "m") return `${4 * ACROSS} rows`;
  return rows < sizes.m ? outputs(rows, 4 * ACROSS) : `${4 * ACROSS} columns`;
}

interface Slices {
  readonly slices: number;
  readonly slice: Index;
  readonly chunk: Index;
  readonly batch: Index;
  /** Rows of the block; those behind the last one are not stored. */
  readonly ms: readonly Index[];
  readonly n: Index;
}

/** Every `slices`-th vector (or value) of k, with all rows of the left operand there. */
function walkSlices(
  c: Contraction,
  products: readonly Contraction[],
  accs: readonly (readonly Reg[])[],
  { slices, slice, chunk, batch, ms, n }: Slices,
): void {
  const { low, space, sizes } = c;
  const byFours = sizes.k % 4 === 0 && c.alongK(0);
  const width = byFours ? 4 : 1;
  const units = sizes.k / width;
  const { length, start } = walkOf(c, chunk, width);
  const rows = ms.map((m) => space.clamp(m, sizes.m - 1));
  low.loop("turn", Math.ceil(length / slices), (iteration) => {
    const own = space.add(slice, space.mul(iteration, slices));
    const unit = space.add(start, own);
    const inside = space.and(space.less(own, length), space.less(unit, units));
    const first = space.mul(space.clamp(unit, units - 1), width);
    const at = byFours ? space.add(first, space.of(space.lane)) : first;
    const a: Value[] = rows.map((m) => c.masked(c.left(batch, m, at), inside));
    const lanes = byFours ? [0, 1, 2, 3] : [null];
    const b = products.map((product) => {
      const value = (k: Index, column: Index): Value => product.masked(product.right(batch, k, column), inside);
      if (!byFours || !product.alongK(1)) return lanes.map((lane) => value(space.add(first, space.int(lane ?? 0)), n));
      // Four columns, each of which lies along k, are turned into four of k.
      const columns = [0, 1, 2, 3].map((column) => value(at, low.atLane(n, column)));
      return [0, 1, 2, 3].map((lane) => {
        const parts = columns.map((column) => low.part(column, lane, [product.id]));
        return low.let("turned", product.scalar, 4, { kind: "pack", parts }, [product.id]);
      });
    });
    for (const lane of lanes)
      products.forEach((product, p) => accs[p]!.forEach((acc, m) => product.fma(acc, a[m]!, lane, b[p]![lane ?? 0]!)));
  });
}
