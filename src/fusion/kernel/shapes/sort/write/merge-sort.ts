/** @file Long rows in order: a kernel that sorts runs in workgroup memory, then one for each merge of neighbouring runs (Cormen et al., 2.3.1), in which every thread finds the element of its own index by a search. */
import { node, sizeOf, type DType, type NodeId } from "../../../../ir";
import { opDef } from "../../../../ops";
import { orderStages, type OrderStage } from "../merge-factors";
import { mergedSort, mergeShape, partitionOf } from "../merge-sort";
import { storedInputs } from "../../../indices/views";
import { wordFor } from "../../../emit/emitter";
import { programOf, threadPerItem, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import type { Index, Tuple } from "../../../emit/index-space";
import type { KernelProgram } from "../../../emit/kernel-ir";
import { Lowering } from "../../../emit/lowering";
import { runsAfter, scalarOf, storeRun, type Runs } from "./runs";
import { storeFlat } from "../../map/write/pointwise";
import { pointAt, spread } from "../../fold/write/rows";
import { keyOf, Sorting } from "./sort";
import { gridFields, namesOf } from "../../../emit/split";
import { lineOf } from "../../../types";

/** One order of long rows: what all of its kernels share. */
interface Merged {
  readonly job: Job;
  readonly sort: ReturnType<typeof mergedSort>;
  /** What the keys and the values between the kernels are. */
  readonly scalar: Exclude<DType, "f16">;
  readonly stages: readonly OrderStage[];
}

/** Variant `merge-sort`: the kernel that sorts runs, and a kernel for each merge; the last one makes and stores the outputs. */
export function lowerMergedOrder(job: Job): KernelProgram[] {
  const { graph, region, form, schedule } = job;
  const sort = mergedSort(graph, form);
  const stages = orderStages(mergeShape(graph, region, form), schedule.chunkLength);
  const merged: Merged = { job, sort, scalar: scalarOf(graph, sort), stages };
  const merges = merged.stages.slice(1, -1).map((_, i) => mergeRuns(merged, i + 1));
  return [sortRuns(merged), ...merges, lastMerge(merged)];
}

/** What kernel `at` leaves; a kernel that merges reads one such pair of tensors and writes another. */
const leftAfter = ({ job, sort, stages }: Merged, low: Lowering, at: number, name: string): Runs =>
  runsAfter(low, sort, job.form.rows, stages[at]!, at, name);

function sortRuns(merged: Merged): KernelProgram {
  const { job, sort } = merged;
  const { form, schedule, target, graph, region } = job;
  const low = new Lowering(graph, partitionOf(graph, region, sort.orders).before, []);
  const { space } = low;
  const { chunks, chunkLength, threadsPerWorkgroup: threads } = schedule;
  const grid = workgroupPerItem(low, form.rows * chunks, threads, target, "part");
  const [row, run] = [space.div(grid.index, chunks), space.mod(grid.index, chunks)];
  const wide = schedule.lane === "columns";
  const width = wide ? 4 : 1;
  const units = chunkLength / width;
  const rowShape = form.space.map((extent, axis) => (form.reducedAxes.includes(axis) ? 1 : extent));
  const folded = form.space.map((extent, axis) => (form.reducedAxes.includes(axis) ? extent : 1));
  const sorting = new Sorting(low, sort, { tid: grid.tid, threads, wide }, chunkLength);
  low.loop("turn", Math.ceil(units / threads), (iteration) => {
    const slot = space.add(grid.tid, space.mul(iteration, threads));
    low.branch(space.less(slot, units), () => {
      const unit = low.bind("unit", space.add(space.mul(run, units), slot));
      const column = spread(space, space.clamp(unit, form.columns / width - 1), wide);
      const at = pointAt(space, { rowShape, folded }, row, column);
      sorting.takeRun(at, space.less(unit, form.columns / width), column, spread(space, slot, wide));
    });
  });
  sorting.finish();
  const left = leftAfter(merged, low, 0, "runs");
  const { stage } = left;
  storeRun(low, sorting, left, { tid: grid.tid, threads, row, run });
  return programOf(low, job, {
    ...namesOf(job, "runs"),
    template: "merge-sort",
    schedule: `${chunks} workgroups of ${threads} threads per ${lineOf(form)} of ${form.columns}: each sorts a run of ${chunkLength}${stage.run < chunkLength ? ` and keeps its first ${stage.run}` : ""}.`,
    ...gridFields(grid),
  });
}

/** A kernel that merges, and the function in it that searches. */
interface Searching {
  readonly low: Lowering;
  readonly name: string;
}

const searchingIn = (low: Lowering): Searching => ({ low, name: low.names.frame("merged_from") });

/** Which element of two neighbouring runs is number `at` of their row, both merged. */
function sourceOf(
  { sort, scalar, stages }: Merged,
  { low, name }: Searching,
  { stage, values }: Runs,
  row: Index,
  at: Index,
): Index {
  const { space } = low;
  const after = stages[stages.findIndex(({ runs }) => runs === stage.runs) + 1]!;
  const least = (index: Index): Index =>
    index.terms.length === 0 ? space.int(Math.min(index.constant, stage.run)) : space.clamp(index, stage.run);
  const pair = space.div(at, after.run);
  const start = low.bind("start", space.mul(pair, 2 * stage.run), stage.length - 1);
  const rest = space.add(space.int(stage.length), space.mul(start, -1));
  const left = stage.runs === 2 ? least(rest) : low.bind("left", least(rest), stage.run);
  const variable = space.variable(low.names.frame("source"), values.elements - 1, low.level);
  low.emit({
    kind: "merge",
    variable,
    values,
    name,
    key: keyOf(scalar),
    attrs: { descending: sort.descending },
    start: space.add(space.mul(row, stage.length), start),
    left,
    right: least(space.add(rest, space.mul(left, -1))),
    at: space.mod(at, after.run),
    nodes: sort.orders,
  });
  return space.of(variable);
}

/** Merges two and two runs that kernel `at` − 1 left; the next kernel goes on. */
function mergeRuns(merged: Merged, at: number): KernelProgram {
  const { job, sort } = merged;
  const { form, target, schedule } = job;
  const low = new Lowering(job.graph, [], []);
  const { space } = low;
  const from = leftAfter(merged, low, at - 1, "runs");
  const into = leftAfter(merged, low, at, "merged");
  const { stage } = into;
  const grid = threadPerItem(low, form.rows * stage.length, schedule.threadsPerWorkgroup, target);
  const source = sourceOf(
    merged,
    searchingIn(low),
    from,
    space.div(grid.index, stage.length),
    space.mod(grid.index, stage.length),
  );
  low.store(into.values, grid.index, low.load(from.values, source, sort.orders), sort.orders);
  if (into.indices) low.store(into.indices, grid.index, low.load(from.indices!, source, sort.orders), sort.orders);
  return programOf(low, job, {
    ...namesOf(job, `merge${stage.runs}`),
    template: "merge-sort",
    schedule: `One thread per element of ${stage.runs} merged runs: it searches the two that it comes from.`,
    ...gridFields(grid),
  });
}

/** The last merge, as far as anything asks for its elements: what follows the order is computed from it and stored. */
function lastMerge(merged: Merged): KernelProgram {
  const { job, sort, stages } = merged;
  const { graph, region, schedule, target } = job;
  const { after } = partitionOf(graph, region, sort.orders);
  const ours = new Set(sort.orders);
  const reads = storedInputs(graph, after).filter((id) => !ours.has(id));
  const low = new Lowering(graph, [...sort.orders, ...after], [...reads, ...region.outputs]);
  const from = leftAfter(merged, low, stages.length - 2, "runs");
  const searching = searchingIn(low);
  const found = new Map<number, Index>();
  const sourceAt = (id: NodeId, at: Tuple): Index => {
    const known = found.get(at.id);
    if (known) return known;
    const { attrs, type } = node(graph, id);
    const axis = opDef(node(graph, id).op).order!.axis(attrs, type.shape);
    const rows = type.shape.map((extent, i) => (i === axis ? 1 : extent));
    const row = low.space.ravel(
      at.at.map((index, i) => (i === axis ? low.space.int(0) : index)),
      rows,
    );
    const source = sourceOf(merged, searching, from, row, at.at[axis]!);
    // What was found inside a branch is known there alone.
    if (low.level === 0) found.set(at.id, source);
    return source;
  };
  for (const id of sort.orders) {
    const buffer = opDef(node(graph, id).op).order!.indices ? from.indices! : from.values;
    low.setReader(id, (at) => low.load(buffer, sourceAt(id, at), [id], wordFor(node(graph, id))));
  }
  const size = sizeOf(node(graph, region.outputs[0]!).type.shape);
  const paired = !target.shaderF16 && region.outputs.some((id) => node(graph, id).type.dtype === "f16");
  const width = paired ? 2 : 1;
  const grid = threadPerItem(low, Math.ceil(size / width), schedule.threadsPerWorkgroup, target);
  storeFlat(low, region.outputs, size, width, grid.index);
  return programOf(low, job, {
    ...namesOf(job, "merge"),
    template: "merge-sort",
    schedule: `Merges the last two runs of each ${lineOf(job.form)}: one thread per ${width === 2 ? "two elements, which share a word" : "element"}.`,
    ...gridFields(grid),
  });
}
