/** @file A product folded while it is made, without workgroup memory: a thread keeps four rows or columns and walks the other side. */
import { programOf, threadPerItem, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import { literal, type KernelProgram, type Reg } from "../../../emit/kernel-ir";
import { WRITTEN_OUT } from "../reduce-schedule";
import { Reduce } from "./reduce";
import { completeRows } from "./workgroup-row-reduce";
import { nameRows } from "./online-softmax-state";

/** Rows of the product that a thread makes at a time, four columns each. */
const ROWS = 4;

type Visit = (accs: readonly Reg[], lines: readonly Index[], unit: Index) => void;

/** Variant `reduce-thread`. */
export function lowerReduceThread(job: Job): KernelProgram {
  const f = new Reduce(job);
  const { low, space, sizes } = f;
  const { alongColumns } = sizes;
  const own = alongColumns ? Math.min(ROWS, sizes.outer) : 4;
  const rows = alongColumns ? own : Math.min(ROWS, sizes.folded);
  const bands = Math.ceil(sizes.outer / own);
  const grid = threadPerItem(low, sizes.batch * bands, job.schedule.threadsPerWorkgroup, job.target, "band");
  const batch = low.bind("batch", space.div(grid.index, bands));
  const band = low.bind("start", space.mod(grid.index, bands));
  const state = Array.from({ length: alongColumns ? own : 1 }, (_, i) => f.row(`_${i}`));
  if (alongColumns)
    nameRows(
      low,
      state.map((_, i) => f.held(space.add(space.mul(band, own), space.int(i)))),
    );
  /** Visits block after block of the product. */
  const walk = (visit: Visit): void =>
    low.loop("turn", Math.ceil(sizes.folded / (alongColumns ? 4 : rows)), (iteration) => {
      const [block, unit] = alongColumns ? [band, iteration] : [iteration, band];
      const lines = Array.from({ length: rows }, (_, i) => space.add(space.mul(block, rows), space.int(i)));
      visit(block4(f, batch, lines, unit), lines, unit);
    });
  const { passing, again } = f.parts;
  const storeAgain: Visit = (accs, lines, unit) =>
    lines.forEach((m, i) => {
      (alongColumns ? state[i] : state[0])!.enter();
      f.storeElements(again, accs[i]!, batch, m, unit);
    });
  let last: Parameters<Visit> | null = null;
  if (f.twice) low.comment("Fold the rows while the matmul is computed.");
  walk((accs, lines, unit) => {
    last = [accs, lines, unit];
    state.forEach((row, s) => {
      const quads = alongColumns
        ? [f.quad(batch, lines[s]!, unit, accs[s]!)]
        : lines.map((m, i) => f.quad(batch, m, unit, accs[i]!));
      const top = row.highest(quads);
      if (top !== null) row.rescaleFolds(row.raise(top));
      row.fold(quads);
      row.commitPeak();
    });
    lines.forEach((m, i) => f.storeElements(passing, accs[i]!, batch, m, unit));
  });
  completeRows(state, sizes.folded, null);
  state.forEach((row, i) => {
    row.enter();
    if (alongColumns) f.storeRow(batch, space.add(space.mul(band, own), space.int(i)), { kind: "always" });
    else f.storeColumns(batch, band, { kind: "always" });
  });
  if (again.length > 0) {
    f.completed();
    if (f.twice) walk(storeAgain);
    else storeAgain(...last!);
  }
  return programOf(low, job, {
    template: "contract-reduce",
    schedule: `One thread per ${own} ${alongColumns ? "rows" : "columns"}; the matmul is computed in blocks of ${rows}×4, which are folded at once${f.says}.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** Accumulators of some rows and four columns. */
function block4({ product: c, low, space }: Reduce, batch: Index, lines: readonly Index[], unit: Index): Reg[] {
  const held = lines.map((m) => space.clamp(m, c.sizes.m - 1));
  const n = c.quad(unit, c.sizes.n).at;
  const accs = lines.map((_, i) => low.variable(`c_${i}`, c.scalar, 4, literal(0, c.scalar), [c.id]));
  const byFours = c.sizes.k % 4 === 0 && c.alongK(0);
  const one = (k: Index): void => {
    const right = c.right(batch, k, n);
    accs.forEach((acc, i) => c.fma(acc, c.left(batch, held[i]!, k), null, right));
  };
  if (!byFours) {
    if (c.sizes.k <= WRITTEN_OUT) for (let k = 0; k < c.sizes.k; k++) one(space.int(k));
    else low.loop("k", c.sizes.k, one);
    return accs;
  }
  low.loop("k", c.sizes.k / 4, (k) => {
    const start = space.mul(k, 4);
    const left = held.map((m) => c.left(batch, m, space.add(start, space.of(space.lane))));
    for (const lane of [0, 1, 2, 3]) {
      const right = c.right(batch, space.add(start, space.int(lane)), n);
      accs.forEach((acc, i) => c.fma(acc, left[i]!, lane, right));
    }
  });
  return accs;
}
