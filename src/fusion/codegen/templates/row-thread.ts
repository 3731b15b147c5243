/** @file One thread per row, in order: short rows, rows that are not contiguous (neighbouring threads then read neighbours), CPU adapters. */
import { loweringOf, programOf, threadPerItem, type Job } from "../frame";
import type { Index } from "../index-space";
import type { KernelProgram } from "../kernel-ir";
import { mutated } from "../mutations";
import { accumulator, finished, foldIn, foldLanes } from "./accumulate";
import { passComment, storePoint } from "./row-workgroup";
import { pointAt, rowsOf, spread, storeRow } from "./rows";
import { ThreadScan } from "./scan";

/** Variant `row-thread`. Writes the row out instead of looping when the schedule caches it. */
export function lowerRowThread(job: Job): KernelProgram {
  const { form, schedule, target } = job;
  const low = loweringOf(job);
  const rows = rowsOf(job);
  const { space } = low;
  const rowWide = rows.lane === "rows";
  const columnWide = rows.lane === "columns";
  const grid = threadPerItem(low, rows.rows / (rowWide ? 4 : 1), schedule.threadsPerWorkgroup, target, "row");
  const row = spread(space, grid.index, rowWide);
  const turns = rows.columns / (columnWide ? 4 : 1);
  const unrolled = schedule.cached.length > 0;
  const each = (visit: (turn: Index) => void): void => {
    const last = space.int(turns - 1);
    if (!unrolled)
      low.loop(rows.backwards ? "back" : "column", turns, (turn) =>
        visit(rows.backwards ? space.add(last, space.mul(turn, -1)) : turn),
      );
    else for (let turn = 0; turn < turns; turn++) visit(space.int(rows.backwards ? turns - 1 - turn : turn));
  };
  for (const [number, pass] of rows.stages.entries()) {
    if (pass.reductions.length > 0 || pass.outputs.length > 0) low.comment(passComment(low, pass));
    const accs = pass.reductions.map((id) => accumulator(low, id, rowWide || columnWide ? 4 : 1));
    const scans = pass.scans.map((id) => new ThreadScan(low, id, rows.lane));
    each((turn) => {
      const column = spread(space, mutated("stale-reload") && number > 0 ? space.int(0) : turn, columnWide);
      const at = pointAt(space, rows, row, column);
      for (const scan of scans) if (!low.isKnownAt(scan.id, at)) scan.take(at);
      for (const acc of accs) foldIn(low, acc, at, column, { kind: "always" });
      for (const id of pass.outputs) storePoint(low, rows, id, row, column, { kind: "always" });
    });
    for (const acc of accs) {
      low.setRowValue(acc.id, finished(low, columnWide ? foldLanes(low, acc) : acc, rows.columns));
    }
  }
  storeRow(low, rows, row);
  const walk = columnWide ? "four columns at a time" : "one column after the other";
  return programOf(low, job, {
    template: form.template,
    schedule: `One thread per ${rowWide ? "four neighbouring rows" : "row"} of ${rows.columns}, ${walk}.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}
