/** @file Few long rows: chunks of a row are folded apart and a second kernel joins the partial results, always in the same order. */
import { node, nodeId, type DType, type NodeId } from "../../ir";
import { opDef } from "../../ops";
import { joinBytes, LONG_FINISH, threadsWithin } from "../../region";
import {
  kernelName,
  loweringOf,
  programOf,
  titleOf,
  threadPerItem,
  workgroupPerItem,
  type Grid,
  type Job,
} from "../frame";
import type { Cond, Index } from "../index-space";
import type { Buffer, KernelProgram } from "../kernel-ir";
import { registerScalar, wordFor } from "../emitter";
import { Lowering } from "../lowering";
import { mutated } from "../mutations";
import { accumulator, finished, foldIn, foldLanes, type Accumulator } from "./accumulate";
import { JoinPlaces, joinThreads } from "./join";
import { pointAt, rowsOf, spread, storeRow, type Rows } from "./rows";

/** Where the chunks of one reduction meet. */
export const partialsId = (reduction: NodeId): NodeId => nodeId(`${reduction}~partials`);

/** Variants `split-row` and `split-thread`: the partial kernel and its finisher. */
export function lowerSplit(job: Job): KernelProgram[] {
  const rows = rowsOf(job);
  const ids = rows.stages[0]!.reductions;
  return [
    job.schedule.variant === "split-row" ? partialByWorkgroup(job, rows, ids) : partialByThread(job, rows, ids),
    finisher(job, rows, ids),
  ];
}

function partialsBuffer(low: Lowering, { schedule, form }: Job, id: NodeId): Buffer {
  const word = wordFor(node(low.graph, id));
  return low.temporary(partialsId(id), `${word}_partials`, foldedType(low, id), form.rows * schedule.chunks);
}

/** Partials hold what the accumulator holds. */
export function foldedType(low: Lowering, id: NodeId): DType {
  const n = node(low.graph, id);
  const from = node(low.graph, n.inputs[0]!).type.dtype;
  return registerScalar(opDef(n.op).operandTypes?.([from], n.attrs)[0] ?? from);
}

/** Nothing is declared up front: what the chunk needs is bound as it is met, and the epilogue belongs to the finisher. */
export const partialLowering = ({ graph, region }: Job): Lowering => new Lowering(graph, region.members, []);

function partialByWorkgroup(job: Job, rows: Rows, ids: readonly NodeId[]): KernelProgram {
  const { schedule, target, form } = job;
  const low = partialLowering(job);
  const { space } = low;
  const threads = schedule.threadsPerWorkgroup;
  const grid = workgroupPerItem(low, rows.rows * schedule.chunks, threads, target, "part");
  const [row, chunk] = [space.div(grid.index, schedule.chunks), space.mod(grid.index, schedule.chunks)];
  const wide = rows.lane === "columns" && schedule.chunkLength % 4 === 0;
  const width = wide ? 4 : 1;
  const units = schedule.chunkLength / width;
  const turns = Math.ceil(units / threads);
  const accs = ids.map((id) => accumulator(low, id, width));
  const start = low.bind("start", space.mul(chunk, units));
  low.loop("turn", turns, (turn) => {
    const local = space.add(grid.tid, space.mul(turn, threads));
    const unit = space.add(start, local);
    const inside = space.and(space.less(local, units), space.less(unit, rows.columns / width));
    const column = spread(space, space.clamp(unit, rows.columns / width - 1), wide);
    for (const acc of accs) foldIn(low, acc, pointAt(space, rows, row, column), column, inside);
  });
  const joined = joinThreads(
    accs.map((acc) => foldLanes(low, acc)),
    grid.tid,
    new JoinPlaces(low, threads, schedule.joined),
    0,
  );
  low.branch(space.less(grid.tid, 1), () => {
    for (const acc of joined)
      low.store(partialsBuffer(low, job, acc.id), space.add(space.mul(chunk, rows.rows), row), acc.value, [acc.id]);
  });
  return programOf(low, job, {
    ...namesOf(job, "partials"),
    template: "split-reduce",
    schedule: `${schedule.chunks} workgroups of ${threads} threads per row of ${form.columns}, ${schedule.chunkLength} values each.`,
    ...gridFields(grid),
  });
}

function partialByThread(job: Job, rows: Rows, ids: readonly NodeId[]): KernelProgram {
  const { schedule, target, form } = job;
  const low = partialLowering(job);
  const { space } = low;
  const rowWide = rows.lane === "rows";
  const columnWide = rows.lane === "columns" && schedule.chunkLength % 4 === 0;
  const groups = rows.rows / (rowWide ? 4 : 1);
  const grid = threadPerItem(low, groups * schedule.chunks, schedule.threadsPerWorkgroup, target);
  const group = low.bind("row", space.mod(grid.index, groups));
  const chunk = low.bind("chunk", space.div(grid.index, groups));
  const row = spread(space, group, rowWide);
  const accs = ids.map((id) => accumulator(low, id, rowWide || columnWide ? 4 : 1));
  const width = columnWide ? 4 : 1;
  const units = schedule.chunkLength / width;
  low.loop("turn", units, (turn) => {
    const unit = space.add(space.mul(chunk, units), turn);
    const column = spread(space, space.clamp(unit, rows.columns / width - 1), columnWide);
    const inside: Cond = space.less(unit, rows.columns / width);
    for (const acc of accs) foldIn(low, acc, pointAt(space, rows, row, column), column, inside);
  });
  for (const acc of accs) {
    const one = columnWide ? foldLanes(low, acc) : acc;
    low.store(partialsBuffer(low, job, acc.id), space.add(space.mul(chunk, rows.rows), row), one.value, [acc.id]);
  }
  return programOf(low, job, {
    ...namesOf(job, "partials"),
    template: "split-reduce",
    schedule: `One thread per ${rowWide ? "four neighbouring rows" : "row"} and chunk of ${schedule.chunkLength} of its ${form.columns} values.`,
    ...gridFields(grid),
  });
}

function finisher(job: Job, rows: Rows, ids: readonly NodeId[]): KernelProgram {
  const { schedule, target } = job;
  const low = finishLowering(job, ids);
  const partials = ids.map((id) => partialsBuffer(low, job, id));
  const byWorkgroup = target.schedule === "gpu" && schedule.chunks > LONG_FINISH;
  const grid = byWorkgroup
    ? joinByWorkgroup(low, job, rows, ids, partials)
    : joinByThread(low, job, rows, ids, partials);
  return programOf(low, job, {
    ...namesOf(job, "finish"),
    template: "split-reduce",
    schedule: `Joins the ${schedule.chunks} partial results of each row.`,
    ...gridFields(grid),
  });
}

/** For the kernel that joins the chunks of the reductions `ids`: what follows them is read and written. */
export const finishLowering = (job: Job, ids: readonly NodeId[]): Lowering => {
  const region = epilogueOf(job, ids);
  return loweringOf({ ...job, region }, ids);
};

/** Members that follow the reductions: what the finisher reads and writes. */
function epilogueOf({ graph, region }: Job, ids: readonly NodeId[]): Job["region"] {
  const inside = new Set(region.members);
  const needed = new Set<NodeId>();
  const wanted = [...region.outputs];
  while (wanted.length > 0) {
    const id = wanted.pop()!;
    if (needed.has(id) || !inside.has(id)) continue;
    needed.add(id);
    if (!ids.includes(id)) wanted.push(...node(graph, id).inputs);
  }
  return { ...region, members: region.members.filter((id) => needed.has(id) && !ids.includes(id)) };
}

function joinByThread(low: Lowering, job: Job, rows: Rows, ids: readonly NodeId[], partials: readonly Buffer[]): Grid {
  const { schedule, target } = job;
  const { space } = low;
  const rowWide = rows.lane === "rows";
  const grid = threadPerItem(low, rows.rows / (rowWide ? 4 : 1), Math.min(64, target.maxWorkgroupSize), target, "row");
  const row = spread(space, grid.index, rowWide);
  const accs = ids.map((id) => accumulator(low, id, rowWide ? 4 : 1));
  const chunks = mutated("wrong-partial") ? schedule.chunks - 1 : schedule.chunks;
  low.loop("chunk", chunks, (chunk) => {
    accs.forEach((acc, i) => joinOne(low, acc, partials[i]!, space.add(space.mul(chunk, rows.rows), row)));
  });
  for (const acc of accs) low.setRowValue(acc.id, finished(low, acc, rows.columns));
  storeRow(low, rows, row);
  return grid;
}

function joinByWorkgroup(
  low: Lowering,
  job: Job,
  rows: Rows,
  ids: readonly NodeId[],
  partials: readonly Buffer[],
): Grid {
  const { schedule, target } = job;
  const { space } = low;
  const most = threadsWithin(target, joinBytes(low.graph, job.form, schedule.joined ?? "tree"));
  const threads = Math.min(most, 2 ** Math.ceil(Math.log2(schedule.chunks)));
  const grid = workgroupPerItem(low, rows.rows, threads, target);
  const accs = ids.map((id) => accumulator(low, id, 1));
  const turns = Math.ceil(schedule.chunks / threads);
  low.loop("turn", turns, (turn) => {
    const chunk = space.add(grid.tid, space.mul(turn, threads));
    const inside = space.less(chunk, mutated("wrong-partial") ? schedule.chunks - 1 : schedule.chunks);
    low.branch(inside, () => {
      accs.forEach((acc, i) => joinOne(low, acc, partials[i]!, space.add(space.mul(chunk, rows.rows), grid.index)));
    });
  });
  const joined = joinThreads(accs, grid.tid, new JoinPlaces(low, threads, schedule.joined), 0);
  for (const acc of joined) low.setRowValue(acc.id, finished(low, acc, rows.columns));
  low.branch(space.less(grid.tid, 1), () => storeRow(low, rows, grid.index));
  return grid;
}

export function joinOne(low: Lowering, acc: Accumulator, partials: Buffer, at: Index): void {
  const part = low.load(partials, at, [acc.id], `${wordFor(node(low.graph, acc.id))}_part`);
  low.set(acc.value, { kind: "combine", def: acc.def, a: acc.value, b: part }, [acc.id]);
}

/** What the kernels of a region do, by the last part of their names. */
const PARTS: Readonly<Record<string, string>> = {
  finish: "joining the chunks",
  bands: "band by band",
  runs: "run by run",
  merge: "runs merged two by two",
};

export const namesOf = ({ graph, region }: Job, part: string): { name: string; title: string } => ({
  name: `${kernelName(graph, region)}_${part}`,
  title: `${titleOf(graph, region)}: ${PARTS[part.replace(/\d+$/, "")] ?? "chunk by chunk"}`,
});
export const gridFields = ({ workgroupSize, workgroups }: Grid): Pick<Grid, "workgroupSize" | "workgroups"> => ({
  workgroupSize,
  workgroups,
});
