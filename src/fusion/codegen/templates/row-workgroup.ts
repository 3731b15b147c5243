/** @file One workgroup per row: every thread folds its share, a tree in workgroup memory joins them, nothing is read twice while it fits. */
import { node } from "../../ir";
import { mergedStages, placeRows, type MergedStages } from "../../region";
import { loweringOf, programOf, workgroupPerItem, type Job } from "../frame";
import type { Cond, Index, Tuple } from "../index-space";
import { literal, type KernelProgram, type Value } from "../kernel-ir";
import { wordFor } from "../emitter";
import type { Lowering } from "../lowering";
import { mutated } from "../mutations";
import { accumulator, finished, foldIn, foldLanes } from "./accumulate";
import { JoinPlaces, joinThreads } from "./join";
import { foldMerged, type Walk } from "./one-pass";
import { existing, placedAt, pointAt, rowsOf, spread, storeFirst, storeRow, type Rows } from "./rows";
import { Sorting } from "./sort";
import { openCarry, scanPlaces, type ScanChunk } from "./scan";

/** A thread's share of a row: which columns, and whether they exist. */
interface Chunk {
  readonly column: Index;
  readonly inside: Cond;
  /** The column for those that exist: written without holding it back. */
  readonly bare: () => Index;
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
    const inside = low.space.less(unit, units);
    const bare = (): Index =>
      inside.kind === "always" ? column : spread(low.space, existing(low, unit, units, wide ? "unit" : "column"), wide);
    return { column, inside, bare };
  };
  const chunks = cached ? Array.from({ length: turns }, (_, turn) => chunk(low.space.int(turn))) : null;
  if (chunks && turns > 1) nameChunks(low, chunks, rows, grid.index);
  const each = (visit: (chunk: Chunk, turn: Index) => void): void => {
    if (chunks) chunks.forEach((each, turn) => visit(each, low.space.int(turn)));
    else
      low.loop("turn", turns, (turn) =>
        visit(chunk(rows.backwards ? low.space.add(low.space.int(turns - 1), low.space.mul(turn, -1)) : turn), turn),
      );
  };
  const scanned = ({ column, inside }: Chunk): ScanChunk => [
    { at: pointAt(low.space, rows, grid.index, column), inside },
  ];
  const scanning = scanPlaces(low, threads, { slot: grid.tid, slots: threads, cell: (slot) => slot, wide });
  const places = new JoinPlaces(low, threads, schedule.joined);
  const pairs = pairsOf(job);
  const walk: Walk = {
    low,
    width: wide ? 4 : 1,
    columns: rows.columns,
    tid: grid.tid,
    places,
    each: (visit) =>
      each(({ column, inside }, turn) => visit(pointAt(low.space, rows, grid.index, column), column, inside, turn)),
    seen: () => turnsTaken(low, chunk(low.space.int(turns - 1)).inside, turns),
  };
  rows.stages.forEach((pass, stage) => {
    const pair = pairs.get(stage);
    if (pair) {
      low.comment(
        `Fold the row into ${[pair.first, pair.second].map((id) => wordFor(node(low.graph, id))).join(" and ")} in one walk.`,
      );
      foldMerged(walk, pair);
      return;
    }
    if (pairs.has(stage - 1)) return;
    if (pass.reductions.length > 0 || pass.outputs.length > 0) low.comment(passComment(low, pass));
    const accs = pass.reductions.map((id) => accumulator(low, id, wide ? 4 : 1));
    const open = chunks ? pass.scans.filter((id) => !low.isKnownAt(id, scanned(chunks[0]!)[0]!.at)) : [];
    for (const id of open) scanning.run(id, chunks!.map(scanned));
    const carries = chunks ? [] : pass.scans.map((id) => ({ id, carry: openCarry(low, id) }));
    const sorts = pass.sorts.map((sort) => new Sorting(low, sort, { tid: grid.tid, threads, wide }));
    each((chunk) => {
      const { column, inside, bare } = chunk;
      for (const { id, carry } of carries) scanning.run(id, [scanned(chunk)], carry);
      const at = pointAt(low.space, rows, grid.index, column);
      for (const acc of accs) foldIn(low, acc, at, column, inside);
      for (const sort of sorts) sort.take({ at, inside, column: bare });
      for (const id of pass.outputs) {
        // A later pass may need what this one loads: outside of the branch it stays known.
        if (cached && stage + 1 < rows.stages.length) low.valueAt(id, placedAt(low.space, rows, id, at));
        storePoint(
          low,
          rows,
          id,
          grid.index,
          column,
          inside,
          bare,
          accs.length === 0 && pass.scans.length + sorts.length === 0 && !cached,
        );
      }
    });
    for (const sort of sorts) sort.finish(rows.columns);
    if (accs.length === 0) return;
    const joined = joinThreads(
      accs.map((acc) => foldLanes(low, acc)),
      grid.tid,
      places,
      stage,
    );
    for (const acc of joined) low.setRowValue(acc.id, finished(low, acc, rows.columns));
  });
  storeFirst(low, rows, grid.index, grid.tid, threads);
  if (rows.rowOutputs.length > 0) low.branch(low.space.less(grid.tid, 1), () => storeRow(low, rows, grid.index));
  const again =
    form.scans.length > 0 && rows.stages.length === 1 ? ", one after the other" : ", read again on each pass";
  const kept = cached ? ", kept in registers" : turns > 1 ? again : "";
  const share = `${turns} ${wide ? (turns === 1 ? "vector" : "vectors") : turns === 1 ? "value" : "values"} each`;
  return programOf(low, job, {
    template: form.template,
    schedule: `One workgroup of ${threads} threads per row of ${rows.columns}, ${share}${kept}.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** Stages that one walk folds together with the next, by the first of them. */
function pairsOf({ graph, region, form, schedule }: Job): ReadonlyMap<number, MergedStages> {
  const placement = schedule.merged.length > 0 ? placeRows(graph, region.members) : null;
  if (!placement || "ok" in placement) return new Map();
  return new Map(mergedStages(graph, region, form, placement).map((pair) => [pair.stage, pair]));
}

/** Turns in which this thread had a column: all of them, or all but the last. */
function turnsTaken(low: Lowering, last: Cond, turns: number): Value {
  const all = literal(turns, "f32");
  if (last.kind === "always") return all;
  return low.let("seen", "f32", 1, { kind: "select", when: last, yes: all, no: literal(turns - 1, "f32") }, []);
}

/**
 * Stores output `id` in this row and column, where it exists.
 * @param afresh computes the value there, too; otherwise it is asked for as the fold before it did, which may still hold it
 */
export function storePoint(
  low: Lowering,
  rows: Rows,
  id: Parameters<Lowering["valueAt"]>[0],
  row: Index,
  column: Index,
  inside: Cond,
  bare: () => Index = () => column,
  afresh = false,
): void {
  const { space } = low;
  const atColumn = (of: Index): Tuple => placedAt(space, rows, id, pointAt(space, rows, row, of));
  const write = (): void => {
    const own = bare();
    const value = low.valueAt(id, atColumn(afresh ? own : column));
    low.store(low.buffer(id), space.ravel(atColumn(own).at, node(low.graph, id).type.shape), value, [id]);
  };
  low.branch(mutated("missing-guard") ? { kind: "always" } : inside, write);
}

export function passComment(
  low: Lowering,
  { reductions, scans, sorts, columnFolds, outputs }: Rows["stages"][number],
): string {
  const label = (id: (typeof reductions)[number]): string => wordFor(node(low.graph, id));
  const parts = [
    { does: "scan the row for", ids: scans },
    { does: "fold the row into", ids: reductions },
    { does: "fold it into the columns of", ids: columnFolds },
    { does: "put the row in order for", ids: sorts.flatMap(({ orders }) => orders) },
    { does: "write", ids: outputs },
  ].flatMap(({ does, ids }) => (ids.length > 0 ? [`${does} ${ids.map(label).join(" and ")}`] : []));
  const text = parts.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Registers of chunk 2 end in `_2`. */
export function nameChunks(low: Lowering, chunks: readonly Pick<Chunk, "column">[], rows: Rows, row: Index): void {
  const numbers = new Map<number, number>();
  chunks.forEach(({ column }, i) => numbers.set(pointAt(low.space, rows, row, column).id, i));
  low.suffix = (at) => {
    const chunk = numbers.get(at.id);
    return chunk === undefined ? "" : `_${chunk}`;
  };
}
