/** @file Everything elementwise, and movement as index maps: one thread per four neighbours of the output. */
import { node, sizeOf, type NodeId } from "../../ir";
import { flatWidth } from "../../region";
import { loweringOf, programOf, threadPerItem, type Job } from "../frame";
import type { Index } from "../index-space";
import type { KernelProgram, Value } from "../kernel-ir";
import type { Lowering } from "../lowering";
import { mutated } from "../mutations";

const SHARE = { 4: "four neighbouring elements", 2: "two elements, which share a word", 1: "element" } as const;

/** Variant `flat`. Several outputs of one size share the loop. */
export function lowerFlat(job: Job): KernelProgram {
  const { graph, region, form, schedule, target } = job;
  const low = loweringOf(job);
  const size = sizeOf(form.space);
  const width = flatWidth(graph, region, size, target);
  const grid = threadPerItem(low, Math.ceil(size / width), schedule.threadsPerWorkgroup, target);
  const { space } = low;
  if (width === 2) storePairs(low, region.outputs, size, grid.index);
  else {
    const linear = width === 4 ? space.add(space.mul(grid.index, 4), space.of(space.lane)) : grid.index;
    const values = region.outputs.map((id) => ({ id, value: valueAt(low, id, linear) }));
    for (const { id, value } of values) low.store(low.buffer(id), linear, value, [id]);
  }
  return programOf(low, job, {
    template: form.template,
    schedule: `One thread per ${SHARE[width]}, ${schedule.threadsPerWorkgroup} threads a workgroup.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

const valueAt = (low: Lowering, id: NodeId, linear: Index): Value =>
  low.valueAt(id, low.space.tuple(low.space.unravel(linear, node(low.graph, id).type.shape)));

/** A thread computes both halves of its words; past an odd end it computes the last element again. */
function storePairs(low: Lowering, outputs: readonly NodeId[], size: number, pair: Index): void {
  const { space } = low;
  const first = space.mul(pair, 2);
  const next = space.add(first, space.int(mutated("torn-word") ? 0 : 1));
  const last = space.clamp(next, size - 1);
  const places = [first, last === next ? next : low.bind("second", last)] as const;
  const values = outputs.map((id) => ({ id, both: places.map((at) => valueAt(low, id, at)) as [Value, Value] }));
  for (const { id, both } of values) {
    const buffer = low.buffer(id);
    if (buffer.type.dtype === "f16") low.storePair(buffer, first, both, [id]);
    else {
      low.store(buffer, first, both[0], [id]);
      low.branch(space.less(next, size), () => low.store(buffer, next, both[1], [id]));
    }
  }
}
