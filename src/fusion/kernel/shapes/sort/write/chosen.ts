/** @file The first few of long rows, of which there are few: each workgroup chooses those of its part of a row, and one a row among all that are left. */
import { retainedByParts } from "../../../nest/networks";
import type { OrderStage } from "../merge-factors";
import { partitionOf } from "../merge-sort";
import { storedInputs } from "../../../indices/views";
import type { RowSort } from "../../../nest/threads";
import { programOf, type Job } from "../../../emit/kernel-frame";
import type { KernelProgram } from "../../../emit/kernel-ir";
import { Lowering } from "../../../emit/lowering";
import { FoldThreads } from "../../fold/write/fold-threads";
import { partWalk } from "../../fold/write/row-walks";
import { runsAfter, storeRun } from "./runs";
import { pointAt, spread, storeFirst, storeRow, type Rows } from "../../fold/write/rows";
import { Sorting } from "./sort";
import { gridFields, namesOf } from "../../../emit/split";
import { lineOf } from "../../../types";

/** Variant `fold`, where rows in parts are put in order: the kernel that chooses in each part, and the one that chooses in each row. */
export function lowerChosen(job: Job, rows: Rows, sort: RowSort): KernelProgram[] {
  const { chunks, chunkLength } = job.schedule;
  const length = retainedByParts(rows.columns, sort.retained, chunks, chunkLength);
  const stage: OrderStage = { runs: chunks, run: sort.retained, length };
  return [chooseInParts(job, rows, sort, stage), chooseAmong(job, rows, sort, stage)];
}

function chooseInParts(job: Job, rows: Rows, sort: RowSort, stage: OrderStage): KernelProgram {
  const { graph, region, form, schedule } = job;
  const low = new Lowering(graph, partitionOf(graph, region, sort.orders).before, []);
  const { space } = low;
  const threads = new FoldThreads(low, job);
  const { count, lane: tid, row, part: run } = threads;
  const wide = threads.factors.wide.folded === 4;
  const sorting = new Sorting(low, sort, { tid, threads: count, wide }, rows.columns);
  partWalk(
    low,
    job,
    rows,
    threads,
  )([], ({ column, inside, bare }) => sorting.take({ at: pointAt(space, rows, row, column), inside, column: bare }));
  sorting.finish();
  storeRun(low, sorting, runsAfter(low, sort, rows.rows, stage, 0, "parts"), { tid, threads: count, row, run });
  return programOf(low, job, {
    ...namesOf(job, "partials"),
    template: form.template,
    schedule: `One workgroup of ${count} threads per one of ${stage.runs} parts of a ${lineOf(form)} of ${rows.columns}: it keeps the first ${stage.run} of ${schedule.chunkLength}.`,
    ...gridFields(threads.grid),
  });
}

function chooseAmong(job: Job, rows: Rows, sort: RowSort, stage: OrderStage): KernelProgram {
  const { graph, region, form, schedule } = job;
  const { after } = partitionOf(graph, region, sort.orders);
  const ours = new Set(sort.orders);
  const reads = storedInputs(graph, after).filter((id) => !ours.has(id));
  const low = new Lowering(graph, [...sort.orders, ...after], [...reads, ...region.outputs]);
  const { space } = low;
  const threads = new FoldThreads(low, job, schedule.finish);
  const { count, lane: tid, row } = threads;
  const { wide, turns, lanes } = threads.factors;
  const { values, indices } = runsAfter(low, sort, rows.rows, stage, 0, "parts");
  const four = wide.folded === 4;
  const sorting = new Sorting(low, sort, { tid, threads: count, wide: four }, stage.length);
  const units = stage.length / wide.folded;
  low.loop("turn", turns, (turn) => {
    const unit = space.add(tid, space.mul(turn, lanes));
    const at = space.add(space.mul(row, stage.length), spread(space, space.clamp(unit, units - 1), four));
    const index = indices && low.load(indices, at, sort.orders, "stood_at");
    sorting.takeLeft(low.load(values, at, sort.orders), index, space.less(unit, units));
  });
  sorting.finish();
  storeFirst(low, rows, row, tid, count, { kind: "always" });
  if (rows.rowOutputs.length > 0) low.branch(space.less(tid, 1), () => storeRow(low, rows, row));
  return programOf(low, job, {
    ...namesOf(job, "finish"),
    template: form.template,
    schedule: `Chooses the first ${sort.retained} of each ${lineOf(form)} among those of its ${stage.runs} parts.`,
    ...gridFields(threads.grid),
  });
}
