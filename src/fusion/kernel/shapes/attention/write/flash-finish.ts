/**
 * @file The second kernel of attention whose keys were cut into chunks: the chunks of a row agree on its peak, what each has summed fades
 * to it, and their products are added up, always in the same order. A workgroup owns a row: its threads stand side by side along the
 * results, in slices that share the chunks out.
 */
import { opDef } from "../../../../ops";
import { endsOf } from "../online-parts";
import { programOf, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import { Flash, onlinePartsOf } from "./flash";
import type { Index } from "../../../emit/index-space";
import type { KernelProgram, Reg, Value } from "../../../emit/kernel-ir";
import { accumulator, finished, foldLanes, type Accumulator } from "../../../emit/accumulate";
import { JoinMemory, joinThreads } from "../../fold/write/join";
import { finishThreads, joinChunks } from "./reduce-finish";
import { finishLowering, namesOf } from "../../../emit/split";

interface Row {
  readonly f: Flash;
  readonly job: Job;
  readonly batch: Index;
  readonly row: Index;
  readonly tid: Index;
  /** Vector column of the results, and which of the slices takes it in. */
  readonly unit: Index;
  readonly slice: Index;
  readonly slices: number;
  readonly threads: number;
}

export function lowerFlashFinish(job: Job): KernelProgram {
  const parts = onlinePartsOf(job);
  const low = finishLowering(job, [...endsOf(parts), parts.values!]);
  const f = new Flash(job, low);
  const { space, sizes } = f;
  const { schedule, form, target } = job;
  const across = 2 ** Math.ceil(Math.log2(Math.ceil(sizes.width / 4)));
  const threads = Math.max(finishThreads(schedule.chunks), across);
  const { index, tid, workgroupSize, workgroups } = workgroupPerItem(low, form.rows, threads, target);
  const memory = new JoinMemory(low, threads, schedule.joined);
  const row: Row = {
    f,
    job,
    batch: low.bind("batch", space.div(index, sizes.m)),
    row: space.mod(index, sizes.m),
    tid,
    unit: low.bind("unit", space.mod(tid, across)),
    slice: low.bind("slice", space.div(tid, across)),
    slices: threads / across,
    threads,
  };
  const { fade, last } = joinChunks(low, job, parts, { tid, row: index, memory });
  const results = addedUp(row, parts.weightsRescaled ? fade : null);
  if (last && parts.weightsRescaled && parts.weightsWhole) f.rescale([results], last);
  const mine = space.less(row.slice, 1);
  parts.resultFolds.forEach((id, i) => {
    const fold = accumulator(low, id, 4);
    low.branch(space.and(mine, space.less(space.mul(row.unit, 4), sizes.width)), () =>
      f.foldResult(fold, results, row.batch, row.row, row.unit),
    );
    const [whole] = joinThreads([foldLanes(low, fold)], tid, memory, 2 + i);
    low.setRowValue(id, finished(low, whole!, sizes.width));
  });
  low.branch(mine, () => f.store(row.batch, row.row, [results], [row.unit]));
  f.storeRow(row.batch, row.row, space.less(tid, 1));
  return programOf(low, job, {
    template: "flash",
    ...namesOf(job, "finish"),
    schedule: `One workgroup of ${threads} threads per row joins its ${schedule.chunks} chunks.`,
    workgroupSize,
    workgroups,
  });
}

/** Four results of the row: each chunk's part under its own peak, times what that is worth. */
function addedUp({ f, job, batch, row, tid, unit, slice, slices, threads }: Row, fade: Value | null): Reg {
  const { low, space, sizes, values } = f;
  const { chunks } = job.schedule;
  const nodes = [values.id];
  const fades = fade && low.sharedArray("fades", "f32", threads, 1);
  if (fade && fades) {
    low.emit({ kind: "storeShared", array: fades, index: tid, value: fade, lane: null, nodes });
    low.barrier();
  }
  low.comment("Add up the chunks' results.");
  const sum = f.result("sum");
  const { at } = values.quad(unit, sizes.width);
  low.loop("turn", Math.ceil(chunks / slices), (turn) => {
    const open = space.add(slice, space.mul(turn, slices));
    low.branch(space.less(open, chunks), () => {
      const chunk = space.clamp(open, chunks - 1);
      const part = low.load(values.parts(), values.partAt(chunk, batch, row, at), nodes, "part");
      if (!fades) return low.set(sum, { kind: "combine", def: opDef("sum"), a: sum, b: part }, nodes);
      const by = low.let("by", "f32", 1, { kind: "loadShared", array: fades, index: chunk }, nodes);
      low.set(sum, { kind: "fma", a: by, lane: null, b: part, c: sum }, nodes);
    });
  });
  if (slices === 1) return sum;
  const across = threads / slices;
  const acc: Accumulator = {
    id: values.id,
    def: opDef("sum"),
    operand: values.id,
    scalar: "f32",
    value: sum,
    position: null,
    settled: false,
  };
  const cell = (other: Index): Index => space.add(space.mul(other, across), unit);
  const [whole] = joinThreads([acc], tid, new JoinMemory(low, threads), 0, { slot: slice, slots: slices, cell });
  return whole!.value;
}
