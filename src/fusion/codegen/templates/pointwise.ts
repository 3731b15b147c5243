/** @file Everything elementwise, and movement as index maps: one thread per four neighbours of the output. */
import { node, sizeOf, type NodeId } from "../../ir";
import { loweringOf, programOf, threadPerItem, type Job } from "../frame";
import type { Index } from "../index-space";
import type { KernelProgram, Value } from "../kernel-ir";
import type { Lowering } from "../lowering";
import { mutated } from "../mutations";

const SHARE = { 4: "four neighbouring elements", 2: "two elements, which share a word", 1: "element" } as const;

/** Variant `flat`. Several outputs of one size share the loop. Turns of a thread are a whole grid apart, so that neighbours stay neighbours. */
export function lowerFlat(job: Job): KernelProgram {
  const { form, schedule, target } = job;
  const { width, turns, unrolled, threadsPerWorkgroup: threads } = schedule;
  const low = loweringOf(job);
  const { space } = low;
  const units = Math.ceil(sizeOf(form.space) / width);
  const count = Math.ceil(units / turns);
  const grid = threadPerItem(low, count, threads, target);
  const take = (turn: Index): void => {
    const unit = space.add(grid.index, space.mul(turn, count));
    const inside = space.less(unit, units);
    low.branch(inside, () =>
      storeFlat(
        low,
        job.region.outputs,
        sizeOf(form.space),
        width,
        inside.kind === "always" ? unit : low.bind("unit", unit, units - 1),
      ),
    );
  };
  if (turns > 1 && !unrolled) low.loop("turn", turns, take);
  else for (let turn = 0; turn < turns; turn++) take(space.int(turn));
  const often = turns > 1 ? `, ${turns} turns${unrolled ? " written out" : " in a loop"}` : "";
  return programOf(low, job, {
    template: form.template,
    schedule: `One thread per ${SHARE[width]}${often}, ${threads} threads a workgroup.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** One element, two that share a word, or four neighbours of every output. */
export function storeFlat(
  low: Lowering,
  outputs: readonly NodeId[],
  size: number,
  width: 1 | 2 | 4,
  unit: Index,
): void {
  const { space } = low;
  if (width === 2) {
    storePairs(low, outputs, size, unit);
    return;
  }
  const linear = width === 4 ? space.add(space.mul(unit, 4), space.of(space.lane)) : unit;
  const values = outputs.map((id) => ({ id, value: valueAt(low, id, linear) }));
  for (const { id, value } of values) low.store(low.buffer(id), linear, value, [id]);
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
