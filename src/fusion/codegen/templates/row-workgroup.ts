/** @file One workgroup per row: every thread folds its share, a tree in workgroup memory joins them, nothing is read twice while it fits. */
import { node } from "../../ir";
import { loweringOf, programOf, workgroupPerItem, type Job } from "../frame";
import type { Cond, Index } from "../index-space";
import type { KernelProgram } from "../kernel-ir";
import { wordFor } from "../emitter";
import type { Lowering } from "../lowering";
import { mutated } from "../mutations";
import { accumulator, finished, foldIn, foldLanes, TreePlaces, treeReduce } from "./accumulate";
import { placedAt, pointAt, rowsOf, spread, storeRow, type Rows } from "./rows";

/** A thread's share of a row: which columns, and whether they exist. */
interface Chunk {
  readonly column: Index;
  readonly inside: Cond;
}

/** Variants `row-cached` (chunks written out, values stay in registers) and `row-streaming` (a loop a pass, inputs read again). */
export function lowerRowWorkgroup(job: Job): KernelProgram {
  const { form, schedule, target } = job;
  const low = loweringOf(job);
  const rows = rowsOf(job);
  const threads = schedule.threadsPerWorkgroup;
  const grid = workgroupPerItem(low, rows.rows, threads, target);
  const wide = rows.lane === "columns";
  const units = rows.columns / (wide ? 4 : 1);
  const turns = Math.ceil(units / threads);
  const cached = schedule.variant === "row-cached";
  const chunk = (turn: Index): Chunk => {
    const unit = low.space.add(grid.tid, low.space.mul(turn, threads));
    const column = spread(low.space, low.space.clamp(unit, units - 1), wide);
    return { column, inside: low.space.less(unit, units) };
  };
  const chunks = cached ? Array.from({ length: turns }, (_, turn) => chunk(low.space.int(turn))) : null;
  if (chunks && turns > 1) nameChunks(low, chunks, rows, grid.index);
  const each = (visit: (chunk: Chunk) => void): void => {
    if (chunks) chunks.forEach(visit);
    else low.loop("turn", turns, (turn) => visit(chunk(turn)));
  };
  const places = new TreePlaces(low, threads);
  rows.stages.forEach((pass, stage) => {
    if (pass.reductions.length > 0 || pass.outputs.length > 0) low.comment(passComment(low, pass));
    const accs = pass.reductions.map((id) => accumulator(low, id, wide ? 4 : 1));
    each(({ column, inside }) => {
      const at = pointAt(low.space, rows, grid.index, column);
      for (const acc of accs) foldIn(low, acc, at, column, inside);
      for (const id of pass.outputs) storePoint(low, rows, id, grid.index, column, inside);
    });
    if (accs.length === 0) return;
    const joined = treeReduce(low, accs.map((acc) => foldLanes(low, acc)), grid.tid, places, stage); // prettier-ignore
    for (const acc of joined) low.setRowValue(acc.id, finished(low, acc, rows.columns));
  });
  if (rows.rowOutputs.length > 0) low.branch(low.space.less(grid.tid, 1), () => storeRow(low, rows, grid.index));
  const share = `${turns} ${wide ? (turns === 1 ? "vector" : "vectors") : turns === 1 ? "value" : "values"} each`;
  return programOf(low, job, {
    template: form.template,
    schedule: `One workgroup of ${threads} threads per row of ${rows.columns}, ${share}${cached ? ", kept in registers" : ", read again on each pass"}.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

export function storePoint(
  low: Lowering,
  rows: Rows,
  id: Parameters<Lowering["valueAt"]>[0],
  row: Index,
  column: Index,
  inside: Cond,
): void {
  const { space } = low;
  const at = placedAt(space, rows, id, pointAt(space, rows, row, column));
  const write = (): void =>
    low.store(low.buffer(id), space.ravel(at.at, node(low.graph, id).type.shape), low.valueAt(id, at), [id]);
  low.branch(mutated("missing-guard") ? { kind: "always" } : inside, write);
}

export function passComment(low: Lowering, { reductions, outputs }: Rows["stages"][number]): string {
  const label = (id: (typeof reductions)[number]): string => wordFor(node(low.graph, id));
  const folds = reductions.length > 0 ? `Fold the row into ${reductions.map(label).join(" and ")}` : "";
  const writes = outputs.length > 0 ? `${folds ? "; write" : "Write"} ${outputs.map(label).join(" and ")}` : "";
  return `${folds}${writes}.`;
}

/** Registers of chunk 2 end in `_2`. */
function nameChunks(low: Lowering, chunks: readonly Chunk[], rows: Rows, row: Index): void {
  const numbers = new Map<number, number>();
  chunks.forEach(({ column }, i) => numbers.set(pointAt(low.space, rows, row, column).id, i));
  low.suffix = (at) => {
    const chunk = numbers.get(at.id);
    return chunk === undefined ? "" : `_${chunk}`;
  };
}
