/** @file Scans of rows that lie across memory: a workgroup walks neighbouring rows together, so that neighbouring threads read neighbours. */
import { loweringOf, programOf, workgroupPerItem, type Job } from "../kernel-frame";
import type { Cond, Index } from "../index-space";
import type { KernelProgram } from "../kernel-ir";
import { passComment, pointAt, rowsOf, storePoint } from "./rows";
import { openCarry, scanPlaces } from "./scan";

/** Variant `scan-band`: `chunks` rows side by side, `chunkLength` neighbours of each a thread, iteration by iteration. */
export function lowerScanBand(job: Job): KernelProgram {
  const { form, schedule, target } = job;
  const { threadsPerWorkgroup: threads, chunks: across, chunkLength: each } = schedule;
  const low = loweringOf(job);
  const rows = rowsOf(job);
  const { space } = low;
  const grid = workgroupPerItem(low, Math.ceil(rows.rows / across), threads, target, "band");
  const [lane, slot] = [space.mod(grid.tid, across), low.bind("slot", space.div(grid.tid, across))];
  const unheld = space.add(space.mul(grid.index, across), lane);
  const [row, exists] = [low.bind("row", space.clamp(unheld, rows.rows - 1)), space.less(unheld, rows.rows)];
  const slots = threads / across;
  const turns = Math.ceil(rows.columns / (slots * each));
  const cell = (of: Index): Index => space.add(space.mul(of, across), lane);
  const scanning = scanPlaces(low, threads, { slot, slots, cell, wide: false });
  for (const pass of rows.stages) {
    low.comment(passComment(low, pass));
    const carries = pass.scans.map((id) => ({ id, carry: openCarry(low, id) }));
    low.loop("turn", turns, (iteration) => {
      const at = rows.backwards ? space.add(space.int(turns - 1), space.mul(iteration, -1)) : iteration;
      const first = space.add(space.mul(at, slots * each), space.mul(slot, each));
      const points = Array.from({ length: each }, (_, i) => {
        const unit = space.add(first, space.int(i));
        const column = space.clamp(unit, rows.columns - 1);
        return { column, inside: space.less(unit, rows.columns), at: pointAt(space, rows, row, column) };
      });
      for (const { id, carry } of carries) scanning.run(id, [points], carry);
      for (const { column, inside } of points) {
        const both: Cond = space.and(exists, inside);
        for (const id of pass.outputs) storePoint(low, rows, id, row, column, both);
      }
    });
  }
  return programOf(low, job, {
    template: form.template,
    schedule: `One workgroup of ${threads} threads per ${across} neighbouring rows of ${rows.columns}, ${each} values of a row each, one iteration after the other.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}
