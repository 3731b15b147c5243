/**
 * @file Folds: rows whose elements are walked, folded and stored, by one kernel or by one that folds parts of them and one that joins
 * these. How many threads share a row, how many rows a workgroup has and what stays in registers are factors of the nest.
 */
import { node, type NodeId } from "../../../../ir";
import { opDef } from "../../../../ops";
import { foldsOfMerged, mergedStages, type MergedStages } from "../rows/merged-stages";
import { joinsOfSteps, rowSteps, type RowStep } from "../rows/row-steps";
import { analyseRows } from "../classify-rows";
import type { FoldNest } from "../fold-factors";
import { readsPastEdges } from "../../../count/positions";
import { loweringOf, programOf, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index, Tuple } from "../../../emit/index-space";
import { literal, type Buffer, type KernelProgram, type Value, type Width } from "../../../emit/kernel-ir";
import { wordFor } from "../../../emit/emitter";
import type { Lowering } from "../../../emit/lowering";
import { accumulator, finished, foldIn, foldLanes, type Accumulator } from "../../../emit/accumulate";
import { FoldThreads } from "./fold-threads";
import { foldMerged, joinMerged, type Walk } from "./one-pass";
import {
  existing,
  nameChunks,
  passComment,
  pointAt,
  rowsOf,
  spread,
  storeFirst,
  storePoint,
  storeRow,
  type Rows,
} from "./rows";
import { partWalk, visitAll, type Chunk, type ChunkWalk } from "./row-walks";
import { Sorting } from "../../sort/write/sort";
import { lowerChosen } from "../../sort/write/chosen";
import { openCarry, openScans, ThreadScan, type ScanChunk } from "../../scan/write/scan";
import {
  finishLowering,
  gridFields,
  joinOne,
  namesOf,
  partialLowering,
  stepLowering,
  partialsBuffer,
  partOf,
  indicesBuffer,
} from "../../../emit/split";
import { lineOf } from "../../../types";

/** Variant `fold`: one kernel, or the parts and what joins them. */
export function lowerFold(job: Job): KernelProgram[] {
  const rows = rowsOf(job);
  if (job.schedule.chunks === 1) return [lowerWhole(job, rows)];
  const [sort] = rows.stages.flatMap(({ sorts }) => sorts);
  if (sort) return lowerChosen(job, rows, sort);
  const stored = rows.stages.flatMap(({ outputs }, stage) => outputs.map((id) => ({ id, stage })));
  const steps = rowSteps(job.form, [...pairsOf(job).values()], stored);
  const joins = joinsOfSteps(job.graph, job.region, steps, rows.rowOutputs);
  const walked = steps.map((step, i) => lowerStep(job, rows, { step, joined: joins[i]!, number: i + 1 }));
  const { finish } = job.schedule;
  return finish ? [...walked, lowerJoin(job, rows, finish, joins.at(-1)!)] : walked;
}

function lowerWhole(job: Job, rows: Rows): KernelProgram {
  const { form } = job;
  const low = loweringOf(job);
  const threads = new FoldThreads(low, job);
  const { lanes, turns, held, ahead, wide, alternating } = threads.factors;
  const { space } = low;
  const { row, exists, lane } = threads;
  const width: Width = wide.folded === 4 || wide.outer === 4 ? 4 : 1;
  const units = rows.columns / wide.folded;
  const chunk = (turn: Index): Chunk => {
    const unit = space.add(lane, space.mul(turn, lanes));
    const column = spread(space, space.clamp(unit, units - 1), wide.folded === 4);
    const inside = space.less(unit, units);
    const bare = (): Index =>
      inside.kind === "always"
        ? column
        : spread(space, existing(low, unit, units, wide.folded === 4 ? "unit" : "column"), wide.folded === 4);
    return { column, inside, bare };
  };
  /** Whether the last walk went from the start of the row to its end. */
  let forwards = false;
  const back = (turn: Index): Index => space.add(space.int(turns - 1), space.mul(turn, -1));
  const chunks = held ? Array.from({ length: turns }, (_, turn) => chunk(space.int(turn))) : null;
  if (chunks && turns > 1) nameChunks(low, chunks, rows, row);
  const pointOf = ({ column }: Chunk): Tuple => pointAt(space, rows, row, column);
  const walkRow = (first: readonly NodeId[], visit: (chunk: Chunk, turn: Index) => void, backwards: boolean): void => {
    forwards = !backwards;
    if (!chunks)
      low.loop(lanes === 1 ? (rows.backwards ? "back" : "column") : "turn", turns / ahead, (iteration) => {
        const own = threads.turnsOf(iteration).map((turn) => ({ turn, some: chunk(backwards ? back(turn) : turn) }));
        visitAll(low, rows, row, own, first, visit);
      });
    // Threads that scan a row together take all of it at once; one that walks it alone goes the way of the scan.
    else
      low.together(
        (rows.backwards && lanes === 1 ? chunks.toReversed() : chunks).map(
          (some, turn) => () => visit(some, space.int(turn)),
        ),
      );
  };
  const each: ChunkWalk = (first, visit) => walkRow(first, visit, rows.backwards || (alternating && forwards));
  const scanned = (some: Chunk): ScanChunk => [{ at: pointOf(some), inside: some.inside }];
  const scanning = openScans(low, threads.count, {
    slot: lane,
    slots: lanes,
    cell: threads.cell,
    wide: wide.folded === 4,
  });
  const laneless = (acc: Accumulator): Accumulator => (wide.folded === 4 ? foldLanes(low, acc) : acc);
  const pairs = pairsOf(job);
  const walk: Walk = {
    low,
    width,
    columns: rows.columns,
    join: (accs, stage) => threads.join(accs.map(laneless), stage),
    // Moments count the turns before: a thread without a last column must miss it last.
    each: (first, visit) =>
      walkRow(first, (some, turn) => visit(pointOf(some), some.column, some.inside, turn), rows.backwards),
    seen: () => turnsTaken(low, chunk(space.int(turns - 1)).inside, turns),
    count: null,
  };
  rows.stages.forEach((pass, stage) => {
    const pair = pairs.get(stage);
    if (pair) {
      const words = foldsOfMerged(pair).map((id) => wordFor(node(low.graph, id)));
      low.comment(`Fold the row into ${words.join(" and ")} in one walk.`);
      foldMerged(walk, pair);
      return;
    }
    if (pairs.has(stage - 1)) return;
    if (pass.reductions.length > 0 || pass.outputs.length > 0) low.comment(passComment(low, pass));
    const accs = pass.reductions.map((id) => accumulator(low, id, width));
    const known = (id: NodeId): boolean => chunks !== null && low.isKnownAt(id, scanned(chunks[0]!)[0]!.at);
    const alone = lanes === 1 ? pass.scans.map((id) => new ThreadScan(low, id, rows.lane)) : [];
    const together = lanes > 1 ? pass.scans : [];
    if (chunks) for (const id of together.filter((id) => !known(id))) scanning.run(id, chunks.map(scanned));
    const carries = chunks ? [] : together.map((id) => ({ id, carry: openCarry(low, id) }));
    const sorts = pass.sorts.map(
      (sort) =>
        new Sorting(
          low,
          sort,
          {
            tid: lane,
            threads: lanes,
            wide: wide.folded === 4,
            own: threads.own,
            beside: threads.factors.beside,
            byThread: job.schedule.byThread,
          },
          rows.columns,
        ),
    );
    // What is past an edge is loaded, too: no load waits for a branch.
    low.lean = (wide.outer === 4 && lanes === 1) || readsPastEdges(job.graph, job.region.members);
    each([...accs.map(({ operand }) => operand), ...pass.outputs], (some) => {
      const { inside, bare, column } = some;
      for (const { id, carry } of carries) scanning.run(id, [scanned(some)], carry);
      const at = pointAt(space, rows, row, column);
      for (const scan of alone) if (!low.isKnownAt(scan.id, at)) scan.take(at);
      for (const acc of accs) foldIn(low, acc, at, column, inside);
      for (const sort of sorts) sort.take({ at, inside, column: bare });
      const only = accs.length + pass.scans.length + sorts.length + rows.rowOutputs.length === 0;
      storePoint(low, rows, pass.outputs, row, column, space.and(exists, inside), bare, only && !held && ahead === 1);
    });
    low.lean = false;
    for (const sort of sorts) sort.finish();
    if (accs.length === 0) return;
    for (const acc of threads.join(accs.map(laneless), stage))
      low.setRowValue(acc.id, finished(low, acc, rows.columns));
  });
  if (rows.firstOutputs.length > 0) storeFirst(low, rows, row, lane, lanes, exists);
  if (rows.rowOutputs.length > 0) low.branch(space.and(space.less(lane, 1), exists), () => storeRow(low, rows, row));
  return programOf(low, job, {
    template: form.template,
    schedule: sentence(job, threads, readingWalks(rows, pairs)),
    ...gridFields(threads.grid),
  });
}

/** How often a row is read: by each walk but those that only store what was put in order, and once by two that are merged. */
function readingWalks({ stages }: Rows, pairs: ReadonlyMap<number, MergedStages>): number {
  const inOrder = new Set(stages.flatMap(({ sorts }) => sorts.flatMap(({ orders }) => orders)));
  const isStore = ({ reductions, scans, sorts, outputs }: Rows["stages"][number]): boolean =>
    reductions.length + scans.length + sorts.length === 0 && outputs.every((id) => inOrder.has(id));
  return stages.filter((pass, stage) => !pairs.has(stage - 1) && !isStore(pass)).length;
}

/** Stages that one walk folds together with the next, by the first of them. */
function pairsOf({ graph, region, form, schedule }: Job): ReadonlyMap<number, MergedStages> {
  const analysis = schedule.merged.length > 0 ? analyseRows(graph, region.members) : null;
  if (!analysis || "ok" in analysis) return new Map();
  return new Map(mergedStages(graph, region, form, analysis).map((pair) => [pair.stage, pair]));
}

/** Turns in which this thread had a column: all of them, or all but the last. */
function turnsTaken(low: Lowering, last: Cond, turns: number): Value {
  const all = literal(turns, "f32");
  if (last.kind === "always") return all;
  return low.let("seen", "f32", 1, { kind: "select", when: last, yes: all, no: literal(turns - 1, "f32") }, []);
}

/** Columns that part number `part` has: the last one may have fewer. */
function partCount(low: Lowering, { form, schedule }: Job, part: Index, ids: readonly NodeId[]): Value {
  const { space } = low;
  const { columns } = form;
  if (columns % schedule.chunkLength === 0) return literal(schedule.chunkLength, "f32");
  const rest = space.add(space.int(columns), space.mul(part, -schedule.chunkLength));
  const index = space.clamp(rest, schedule.chunkLength);
  return low.converted(low.let("count", "i32", 1, { kind: "index", index }, ids), "f32", ids[0]!);
}

/** One step of rows that are cut. */
interface Step {
  readonly step: RowStep;
  /** What earlier ones have left, and this one asks for. */
  readonly joined: readonly RowStep[];
  /** From 1. */
  readonly number: number;
}

/** Each workgroup joins what all have left of its rows, walks its part of them, and leaves what it folds or stores what follows. */
function lowerStep(job: Job, rows: Rows, { step, joined, number }: Step): KernelProgram {
  const { folds, pair, outputs } = step;
  const known = joined.flatMap((each) => each.folds);
  const last = folds.length === 0;
  const stored = last ? [...outputs, ...rows.rowOutputs] : outputs;
  const low = number > 1 ? stepLowering(job, [...folds, ...stored], known, stored) : partialLowering(job);
  const { space } = low;
  const threads = new FoldThreads(low, job);
  const { lanes, wide } = threads.factors;
  const { row, exists, lane, part } = threads;
  const four = wide.folded === 4;
  const width: Width = four || wide.outer === 4 ? 4 : 1;
  const join = joinInTurn(threads);
  if (joined.length > 0) {
    low.comment("Join the parts of the row.");
    joinParts(low, job, rows, { threads, turns: Math.ceil(job.schedule.chunks / lanes), join }, joined);
    low.comment(passComment(low, { reductions: folds, outputs, scans: [], columnFolds: [], sorts: [] }));
  }
  const walked = partWalk(low, job, rows, threads);
  const laneless = (acc: Accumulator): Accumulator => (four ? foldLanes(low, acc) : acc);
  const left = pair ? leftOfPair(pair) : leftOfFolds();
  if (!last) {
    low.branch(space.and(space.less(lane, 1), exists), () => {
      const at = space.add(space.mul(part, rows.rows), row);
      for (const { id, value, position } of left) {
        low.store(partialsBuffer(low, job, id), at, value, [id]);
        if (position) low.store(indicesBuffer(low, job, id), at, position, [id]);
      }
    });
  } else if (rows.rowOutputs.length > 0) {
    const first = space.and(space.less(part, 1), space.less(lane, 1));
    low.branch(space.and(first, exists), () => storeRow(low, rows, row));
  }
  const { chunks } = job.schedule;
  const says = sentence(job, threads);
  return programOf(low, job, {
    ...namesOf(job, last ? "apply" : `partials${number > 1 ? number : ""}`),
    template: last ? job.form.template : "split-reduce",
    schedule:
      joined.length > 0 ? `${says.slice(0, -1)}, which first joins the ${chunks} partial results of its rows.` : says,
    ...gridFields(threads.grid),
  });

  function leftOfFolds(): readonly Accumulator[] {
    const accs = folds.map((id) => accumulator(low, id, width));
    const alone = last && folds.length === 0 && threads.factors.ahead === 1;
    walked([...accs.map(({ operand }) => operand), ...outputs], ({ column, inside, bare }) => {
      const at = pointAt(space, rows, row, column);
      for (const acc of accs) foldIn(low, acc, at, column, inside);
      storePoint(low, rows, outputs, row, column, space.and(exists, inside), bare, alone);
    });
    return last ? [] : join(accs.map(laneless));
  }

  function leftOfPair(merged: MergedStages): readonly Accumulator[] {
    const counts = merged.pairs.some(({ kind }) => kind === "moments");
    const [zero, one] = [literal(0, "f32"), literal(1, "f32")];
    const seen = counts ? low.variable("seen", "f32", 1, zero, folds) : null;
    const walk: Walk = {
      low,
      width,
      columns: rows.columns,
      join: (accs) => join(accs.map(laneless)),
      each: (asked, visit) =>
        walked(asked, ({ column, inside }, turn) => {
          visit(pointAt(space, rows, row, column), column, inside, turn);
          if (!seen) return;
          const had: Value =
            inside.kind === "always"
              ? one
              : low.let("had", "f32", 1, { kind: "select", when: inside, yes: one, no: zero }, folds);
          low.set(seen, { kind: "op", def: opDef("add"), args: [seen, had], attrs: {}, index: null }, folds);
        }),
      seen: () => seen ?? zero,
      count: () => partCount(low, job, part, folds),
    };
    return foldMerged(walk, merged);
  }
}

type JoinInTurn = (accs: readonly Accumulator[]) => Accumulator[];

/** Joins of one kernel, one after another: their arrays in workgroup memory take turns. */
function joinInTurn(threads: FoldThreads): JoinInTurn {
  let turn = 0;
  return (accs) => threads.join(accs, turn++);
}

/** Who joins the parts of a row: its threads, in so many turns. */
interface Joiners {
  readonly threads: FoldThreads;
  readonly turns: number;
  readonly join: JoinInTurn;
}

/** The parts of each row as one: from here on the folds of these steps mean the row's. */
function joinParts(
  low: Lowering,
  job: Job,
  rows: Rows,
  { threads, turns, join }: Joiners,
  steps: readonly RowStep[],
): void {
  const { schedule } = job;
  const { space } = low;
  const { lanes, wide } = threads.factors;
  const { row, lane } = threads;
  const each = (visit: (chunk: Index, at: Index) => void): void =>
    low.loop(lanes === 1 ? "chunk" : "turn", turns, (turn) => {
      const chunk = space.add(lane, space.mul(turn, lanes));
      low.branch(space.less(chunk, schedule.chunks), () => visit(chunk, space.add(space.mul(chunk, rows.rows), row)));
    });
  for (const { folds, pair } of steps) {
    const partials = new Map(folds.map((id): [NodeId, Buffer] => [id, partialsBuffer(low, job, id)]));
    if (pair) {
      joinMerged({ low, width: wide.outer, columns: rows.columns, join }, pair, (visit) =>
        each((chunk, at) =>
          visit(
            (id) => partOf(low, partials.get(id)!, id, at),
            () => partCount(low, job, chunk, folds),
          ),
        ),
      );
      continue;
    }
    const accs = folds.map((id) => accumulator(low, id, wide.outer));
    const indexBuffers = new Map(
      accs.flatMap(({ id, position }) => (position ? [[id, indicesBuffer(low, job, id)] as const] : [])),
    );
    each((_, at) => {
      for (const acc of accs) joinOne(low, acc, partials.get(acc.id)!, at, indexBuffers.get(acc.id));
    });
    for (const acc of join(accs)) low.setRowValue(acc.id, finished(low, acc, rows.columns));
  }
}

/** The parts of each row are a row themselves: the same nest, over what the steps have left. */
export function lowerJoin(job: Job, rows: Rows, finish: FoldNest, joined: readonly RowStep[]): KernelProgram {
  const known = joined.flatMap(({ folds }) => folds);
  const low = finishLowering(job, known, rows.rowOutputs);
  const { space } = low;
  const threads = new FoldThreads(low, job, finish);
  joinParts(low, job, rows, { threads, turns: threads.factors.turns, join: joinInTurn(threads) }, joined);
  low.branch(space.and(space.less(threads.lane, 1), threads.exists), () => storeRow(low, rows, threads.row));
  return programOf(low, job, {
    ...namesOf(job, "finish"),
    template: "split-reduce",
    schedule: `Joins the ${job.schedule.chunks} partial results of each ${lineOf(job.form)}.`,
    ...gridFields(threads.grid),
  });
}

const counted = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : `${count} ${many}`);

/** How threads meet rows, in a sentence. `walks`: how often they go along each. */
function sentence({ form, schedule }: Job, { factors }: FoldThreads, walks = 1): string {
  const { lanes, beside, turns, held, ahead, chunks, wide, alternating } = factors;
  const share = `${turns} ${wide.folded === 4 || wide.outer === 4 ? (turns === 1 ? "vector" : "vectors") : turns === 1 ? "value" : "values"} each${ahead > 1 ? `, ${ahead} at a time` : ""}`;
  const line = lineOf(form);
  const four = wide.outer === 4 ? `four neighbouring ${line}s` : line;
  if (lanes === 1) {
    const across = { row: "column", column: "row", group: "value" }[line];
    const walk = wide.folded === 4 ? `four ${across}s at a time` : `one ${across} after the other`;
    return chunks > 1
      ? `One thread per ${four} and chunk of ${schedule.chunkLength} of its ${form.columns} values.`
      : `One thread per ${four} of ${form.columns}, ${walk}.`;
  }
  const again =
    form.scans.length > 0 && form.reductions.length === 0
      ? ", one after the other"
      : walks > 1
        ? `, read again on each pass${alternating ? ", to and fro" : ""}`
        : "";
  const first = schedule.byThread ? "; each retains the first that it meets" : "";
  const suffix = `${chunks > 1 ? "" : held ? ", cached in registers" : turns > 1 ? again : ""}${first}`;
  const chunk = chunks > 1 ? `chunk, ${chunks} of each ` : "";
  if (beside === 1)
    return `One workgroup of ${lanes} threads per ${chunk}${four} of ${form.columns}, ${share}${suffix}.`;
  const of = chunks > 1 ? `one of ${chunks} chunks of ` : "";
  const together = wide.outer === 4 ? `${4 * beside} neighbouring ${line}s` : counted(beside, line);
  return `One workgroup of ${lanes * beside} threads per ${of}${together} of ${form.columns}: ${lanes} threads per ${four}, ${share}${suffix}.`;
}
