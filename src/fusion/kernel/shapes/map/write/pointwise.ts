/** @file Everything elementwise, and movement as index maps: one thread per four neighbours of the output. */
import { node, type NodeId } from "../../../../ir";
import { wordFor } from "../../../emit/emitter";
import { readsPastEdges, readThroughEdges } from "../../../count/positions";
import { loweringOf, programOf, threadPerItem, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import type { KernelProgram, Value } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { unitsOf } from "../segments";
import type { Segment } from "../../../types";

const SHARE = { 4: "four neighbouring elements", 2: "two elements, which share a word", 1: "element" } as const;

/** What a thread takes, in words. */
const shareOf = ({ width, run }: Segment): string => (run > 1 ? `${run * width} neighbouring elements` : SHARE[width]);

/**
 * Variant `flat`. Outputs of one size share the loop, each size has workgroups of its own. Turns of a thread are a whole grid apart,
 * so that neighbours stay neighbours.
 */
export function lowerFlat(job: Job): KernelProgram {
  const { form, schedule, target } = job;
  const { unrolled, threadsPerWorkgroup: threads, turns } = schedule;
  const low = loweringOf(job);
  const { space } = low;
  low.lean = readsPastEdges(job.graph, job.region.members);
  low.guarded = readThroughEdges(job.graph, job.region.members);
  const segments = schedule.segments!.map((segment) => {
    const units = unitsOf(segment);
    const outputs = segment.which.map((at) => job.region.outputs[at]!);
    return { ...segment, outputs, units, count: Math.ceil(units / segment.turns), start: segment.first * threads };
  });
  const last = segments.at(-1)!;
  const grid = threadPerItem(low, last.start + last.count, threads, target);
  const walk = ({ outputs, size, width, run, turns, units, count }: (typeof segments)[number], index: Index): void => {
    const take = (iteration: Index): void => {
      const unit = space.add(index, space.mul(iteration, count));
      const inside = space.less(unit, units);
      low.branch(inside, () => {
        const own = inside.kind === "always" ? unit : low.bind("unit", unit, units - 1);
        for (let at = 0; at < run; at++)
          storeFlat(low, outputs, size, width, space.add(space.mul(own, run), space.int(at)));
      });
    };
    if (turns > 1 && !unrolled) low.loop("turn", turns, take);
    else for (let iteration = 0; iteration < turns; iteration++) take(space.int(iteration));
  };
  /** `value` under a name of its own in this scope, where no more than `max` of it is met. */
  const here = (value: Index, max: number): Index => {
    const variable = space.variable(low.names.fresh("item"), max, low.level);
    low.emit({ kind: "bind", variable, value });
    return space.of(variable);
  };
  const said = ({ outputs }: (typeof segments)[number]): void =>
    low.comment(outputs.map((id) => wordFor(node(job.graph, id))).join(", "));
  /** The segment at `at` and those after it, for the threads from `index` on. */
  const from = (at: number, index: Index): void => {
    const [segment, next] = [segments[at]!, segments[at + 1]];
    if (!next) return walk(segment, index);
    const own = next.start - segment.start;
    const first = (): void => {
      said(segment);
      const body = (): void => walk(segment, here(index, segment.count - 1));
      if (segment.count < own) low.branch(space.less(index, segment.count), body);
      else body();
    };
    low.branch(space.less(index, own), first, () => {
      if (at + 2 === segments.length) said(next);
      from(at + 1, here(space.add(index, space.int(-own)), index.max - own));
    });
  };
  from(0, grid.index);
  const often = turns > 1 ? `, ${turns} turns${unrolled ? " written out" : " in a loop"}` : "";
  const parts = segments.length > 1 ? ` ${segments.length} sizes, one after another in one grid.` : "";
  return programOf(low, job, {
    template: form.template,
    schedule: `One thread per ${shareOf(schedule.segments![0]!)}${often}, ${threads} threads a workgroup.${parts}`,
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
  const next = space.add(first, space.int(1));
  const last = space.clamp(next, size - 1);
  const ends = [first, last === next ? next : low.bind("second", last)] as const;
  const values = outputs.map((id) => ({ id, both: ends.map((at) => valueAt(low, id, at)) as [Value, Value] }));
  for (const { id, both } of values) {
    const buffer = low.buffer(id);
    if (buffer.type.dtype === "f16") low.storePair(buffer, first, both, [id]);
    else {
      low.store(buffer, first, both[0], [id]);
      low.branch(space.less(next, size), () => low.store(buffer, next, both[1], [id]));
    }
  }
}
