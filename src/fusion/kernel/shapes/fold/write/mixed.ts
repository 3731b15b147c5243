/**
 * @file Rows and columns of one tensor folded in one walk: a workgroup takes a band of rows, finishes each row as it goes by, and keeps a
 * value for every column. A second kernel joins the bands, always in the same order.
 */
import { node, type NodeId, partialsId } from "../../../../ir";
import { loweringOf, programOf, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index } from "../../../emit/index-space";
import { type Buffer, type KernelProgram, type SharedArray, type Width } from "../../../emit/kernel-ir";
import { wordFor } from "../../../emit/emitter";
import { Lowering } from "../../../emit/lowering";
import { accumulator, finished, foldIn, foldLanes, type Accumulator } from "../../../emit/accumulate";
import { FoldThreads } from "./fold-threads";
import { JoinMemory, joinThreads } from "./join";
import { existing, nameChunks, passComment, pointAt, rowsOf, spread, storePoint, storeRow } from "./rows";
import { foldedType, gridFields, joinOne, namesOf } from "../../../emit/split";

/** Variants `mixed-row` and `mixed-thread`: the bands and their finisher. */
export const lowerMixed = (job: Job): KernelProgram[] => [
  job.schedule.variant === "mixed-row" ? bandByWorkgroup(job) : bandByThread(job),
  finisher(job),
];

/** A row of the band; past the last one, the last again, which then counts for nothing. */
function rowOfBand(low: Lowering, { schedule, form }: Job, band: Index, line: Index): { row: Index; counts: Cond } {
  const { space } = low;
  const at = space.add(space.mul(band, schedule.chunkLength), line);
  const counts = space.less(at, form.rows);
  return { row: low.bind("row", counts.kind === "always" ? at : space.clamp(at, form.rows - 1)), counts };
}

/** A buffer for the bands of each fold of columns. */
const partialsOf = (low: Lowering, { form, schedule }: Job): readonly Buffer[] =>
  form.columnFolds.map((id) =>
    low.temporary(
      partialsId(id),
      `${wordFor(node(low.graph, id))}_partials`,
      foldedType(low, id),
      schedule.chunks * form.columns,
    ),
  );

/** The columns are with the finisher: nothing of theirs is stored here. */
const bandLowering = (job: Job): Lowering =>
  loweringOf({
    ...job,
    region: { ...job.region, outputs: job.region.outputs.filter((id) => !job.form.columnFolds.includes(id)) },
  });

/** Threads side by side along the row; each holds its columns' folds in registers. */
function bandByWorkgroup(job: Job): KernelProgram {
  const { form, schedule, target } = job;
  const low = bandLowering(job);
  const { space } = low;
  const rows = rowsOf(job);
  const threads = schedule.threadsPerWorkgroup;
  const grid = workgroupPerItem(low, schedule.chunks, threads, target, "band");
  const wide = rows.lane === "columns";
  const width: Width = wide ? 4 : 1;
  const units = form.columns / width;
  const chunks = Array.from({ length: Math.ceil(units / threads) }, (_, iteration) => {
    const unit = space.add(grid.tid, space.int(iteration * threads));
    const column = spread(space, space.clamp(unit, units - 1), wide);
    const inside = space.less(unit, units);
    const bare = (): Index =>
      inside.kind === "always" ? column : spread(space, existing(low, unit, units, wide ? "unit" : "column"), wide);
    return { column, inside, bare };
  });
  const held = new Map(form.columnFolds.map((id) => [id, chunks.map(() => accumulator(low, id, width))]));
  const partials = partialsOf(low, job);
  const memory = new JoinMemory(low, threads, schedule.joined);
  low.loop(
    "line",
    schedule.chunkLength,
    (line) => {
      const { row, counts } = rowOfBand(low, job, grid.index, line);
      if (chunks.length > 1) nameChunks(low, chunks, rows, row);
      rows.stages.forEach((pass, stage) => {
        low.comment(passComment(low, pass));
        const accs = pass.reductions.map((id) => accumulator(low, id, width));
        chunks.forEach(({ column, inside, bare }, iteration) => {
          const at = pointAt(space, rows, row, column);
          for (const acc of accs) foldIn(low, acc, at, column, inside);
          for (const id of pass.columnFolds)
            foldIn(low, held.get(id)![iteration]!, at, column, space.and(inside, counts));
          storePoint(low, rows, pass.outputs, row, column, space.and(inside, counts), bare);
        });
        if (accs.length === 0) return;
        const joined = joinThreads(
          accs.map((acc) => foldLanes(low, acc)),
          grid.tid,
          memory,
          stage,
        );
        for (const acc of joined) low.setRowValue(acc.id, finished(low, acc, form.columns));
      });
      const first = space.and(space.less(grid.tid, 1), counts);
      if (rows.rowOutputs.length > 0) low.branch(first, () => storeRow(low, rows, row));
      // The next row comes back to the memory that this one has read.
      low.barrier();
    },
    "rows",
  );
  low.comment("Leave what the band has folded.");
  chunks.forEach(({ inside, bare }, iteration) =>
    low.branch(inside, () => {
      const at = space.add(space.mul(grid.index, form.columns), bare());
      form.columnFolds.forEach((id, i) => low.store(partials[i]!, at, held.get(id)![iteration]!.value, [id]));
    }),
  );
  return programOf(low, job, {
    ...namesOf(job, "bands"),
    template: form.template,
    schedule: `One workgroup of ${threads} threads per band of ${schedule.chunkLength} rows of ${form.columns}, which also folds their columns.`,
    ...gridFields(grid),
  });
}

/** One thread per band; the columns' folds wait in workgroup memory, which is its own. */
function bandByThread(job: Job): KernelProgram {
  const { form, schedule, target } = job;
  const low = bandLowering(job);
  const { space } = low;
  const rows = rowsOf(job);
  const grid = workgroupPerItem(low, schedule.chunks, 1, target, "band");
  const wide = rows.lane === "columns";
  const width: Width = wide ? 4 : 1;
  const turns = form.columns / width;
  const partials = partialsOf(low, job);
  const columns = form.columnFolds.map((id) => openColumns(low, id, turns, width));
  low.loop(
    "line",
    schedule.chunkLength,
    (line) => {
      const { row, counts } = rowOfBand(low, job, grid.index, line);
      for (const pass of rows.stages) {
        low.comment(passComment(low, pass));
        const accs = pass.reductions.map((id) => accumulator(low, id, width));
        low.loop("column", turns, (iteration) => {
          const column = spread(space, iteration, wide);
          const at = pointAt(space, rows, row, column);
          for (const acc of accs) foldIn(low, acc, at, column, { kind: "always" });
          for (const own of columns) {
            if (!pass.columnFolds.includes(own.id)) continue;
            own.take(iteration, (acc) => foldIn(low, acc, at, column, counts));
          }
          storePoint(low, rows, pass.outputs, row, column, counts);
        });
        for (const acc of accs) low.setRowValue(acc.id, finished(low, wide ? foldLanes(low, acc) : acc, form.columns));
      }
      if (rows.rowOutputs.length > 0) low.branch(counts, () => storeRow(low, rows, row));
    },
    "rows",
  );
  low.comment("Leave what the band has folded.");
  low.loop("column", turns, (iteration) => {
    const at = space.add(space.mul(grid.index, form.columns), spread(space, iteration, wide));
    columns.forEach((own, i) => low.store(partials[i]!, at, own.read(iteration), [own.id]));
  });
  return programOf(low, job, {
    ...namesOf(job, "bands"),
    template: form.template,
    schedule: `One thread per band of ${schedule.chunkLength} rows of ${form.columns}, which also folds their columns.`,
    ...gridFields(grid),
  });
}

/** The folds of one reduction, an accumulator for each vector of columns. */
function openColumns(low: Lowering, id: NodeId, turns: number, width: Width) {
  const start = accumulator(low, id, width);
  const array: SharedArray = low.sharedArray(`${wordFor(node(low.graph, id))}_columns`, start.scalar, turns, width);
  const keep = (index: Index, { value }: Accumulator): void =>
    low.emit({ kind: "storeShared", array, index, value, lane: null, nodes: [id] });
  low.loop("column", turns, (iteration) => keep(iteration, start));
  return {
    id,
    take(iteration: Index, fold: (acc: Accumulator) => void): void {
      const acc = accumulator(low, id, width);
      low.set(acc.value, { kind: "loadShared", array, index: iteration }, [id]);
      fold(acc);
      keep(iteration, acc);
    },
    read: (iteration: Index) =>
      low.let(
        `${wordFor(node(low.graph, id))}_sum`,
        start.scalar,
        width,
        { kind: "loadShared", array, index: iteration },
        [id],
      ),
  };
}

/** What the bands have left of a column is a row of its own: a fold joins it. */
function finisher(job: Job): KernelProgram {
  const { form, schedule } = job;
  const low = new Lowering(job.graph, [], form.columnFolds);
  const { space } = low;
  const threads = new FoldThreads(low, job, schedule.finish!, "column");
  const { lanes, turns, wide } = threads.factors;
  const { row: column, exists, lane } = threads;
  const accs = form.columnFolds.map((id) => accumulator(low, id, wide.outer));
  const partials = partialsOf(low, job);
  low.loop(lanes === 1 ? "band" : "turn", turns, (iteration) => {
    const band = space.add(lane, space.mul(iteration, lanes));
    low.branch(space.less(band, schedule.chunks), () =>
      accs.forEach((acc, i) => joinOne(low, acc, partials[i]!, space.add(space.mul(band, form.columns), column))),
    );
  });
  const joined = threads.join(accs, 0);
  low.branch(space.and(space.less(lane, 1), exists), () => {
    for (const acc of joined) low.store(low.buffer(acc.id), column, finished(low, acc, form.rows), [acc.id]);
  });
  return programOf(low, job, {
    ...namesOf(job, "finish"),
    template: "split-reduce",
    schedule: `Joins the ${schedule.chunks} bands of each column.`,
    ...gridFields(threads.grid),
  });
}
