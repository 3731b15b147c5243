/** @file Rows that are folded: how each is read, by how many threads, and what stays in registers from one pass to the next. */
import { type Graph, type Knobs, type NodeId, type Target } from "../ir";
import { placeRows, wholeOutput, type RowPlacement } from "./classify";
import { rowLane } from "./lanes";
import { orderWay, scheduleMerged } from "./merged-order";
import { readsOf, stridedReads } from "./reads";
import { passesPerRead } from "./row-passes";
import { cachedValues, passRoots, turnedWrites, withRereads } from "./row-roots";
import { scheduleFold } from "./schedule-fold";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "./schedule-parts";
import { joinBytes, joiningOf, nextPowerOfTwo, scanBytes, threadsWithin } from "./threads";
import type { RegionForm, RegionSchedule } from "./types";

/** Rows in pieces of at least so many neighbours are still read in whole cache lines by a workgroup. */
const CONTIGUOUS_RUN = 32;

/** @param knobs those that hold for this kernel; a CPU's rows are walked by one thread each, whatever is chosen */
export function scheduleRows(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  const order = orderWay(graph, region, form, knobs);
  if (order)
    return {
      ...(order.way === "merged" ? scheduleMerged : scheduleRowsPlainly)(graph, region, form, target, knobs),
      order,
    };
  return scheduleRowsPlainly(graph, region, form, target, knobs);
}

function scheduleRowsPlainly(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  const placement = placeRows(graph, region.members) as RowPlacement;
  if (form.columnFolds.length > 0) return scheduleMixed(graph, region, form, target, placement, knobs);
  const isFull = (id: NodeId): boolean => form.columns > 1 && wholeOutput(graph, placement, id) !== null;
  if (target.schedule === "gpu" && !knobs.rows && mayBand(form, region.outputs, isFull))
    return scheduleBand(graph, region, form, target, placement, knobs);
  return scheduleFold(graph, region, form, target, placement, knobs);
}

/** Scans of rows that lie across memory. */
function scheduleBand(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  placement: RowPlacement,
  knobs: Knobs,
): RegionSchedule {
  const roots = passRoots(graph, region, form, placement);
  const turns = new Map(roots.map(({ id, turns }) => [id, turns]));
  const strided = stridedReads(graph, region.members, region.outputs, form, "rows", turns);
  const threads = Number(knobs.threads ?? Math.min(BAND.threads, target.maxWorkgroupSize));
  return blank({
    variant: "scan-band",
    reads: readsOf(graph, region.members, region.outputs, strided),
    stridedWrites: turnedWrites(graph, form, roots, "rows"),
    chunks: BAND.rows,
    chunkLength: BAND.each,
    threadsPerWorkgroup: threads,
    workgroups: Math.ceil(form.rows / BAND.rows),
    workgroupBytes: threads * scanBytes(graph, form),
    registers: BASE_REGISTERS + BAND.each * liveScalars(graph, region) + form.scans.length,
  });
}

/** Rows side by side in one scan, and neighbours of each that a thread takes in a turn. */
const BAND = { rows: 32, each: 8, threads: 256 };

/** Rows that lie across memory are scanned side by side where that is all the kernel does, and where there is a turn's worth of them. */
const mayBand = (form: RegionForm, outputs: readonly NodeId[], isFull: (id: NodeId) => boolean): boolean => {
  const { space, reducedAxes, scans, reductions, columns } = form;
  if (form.template !== "general-reduce" || contiguous(form) >= CONTIGUOUS_RUN) return false;
  let beside = 1;
  for (let axis = space.length - 1; axis >= 0 && !reducedAxes.includes(axis); axis--) beside *= space[axis]!;
  const enough = columns >= BAND.threads / BAND.rows && beside >= BAND.rows;
  return scans.length > 0 && reductions.length === 0 && enough && outputs.every(isFull);
};

/**
 * Bands of rows: enough to fill the machine, few enough that what they leave is small beside the tensor. Where a row is folded in several
 * stages, rows of a band wait for one another at each: more bands are under way at once then.
 */
const BANDS = { gpu: 256, cpu: 64 };
const MOST_STAGES = 4;
/** Rows of a band at least. */
const FEWEST = 4;

/** Rows in bands, whose columns are folded as well. */
function scheduleMixed(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  placement: RowPlacement,
  knobs: Knobs,
): RegionSchedule {
  const { rows, columns, columnFolds, reductions } = form;
  const stages = target.schedule === "gpu" ? new Set(reductions.map(({ stage }) => stage)).size : 1;
  const wanted = BANDS[target.schedule] * Math.min(nextPowerOfTwo(stages), MOST_STAGES);
  const perBand = Math.max(FEWEST, Math.ceil(rows / wanted));
  const bands = Math.ceil(rows / perBand);
  const lane = rowLane(form);
  const roots = passRoots(graph, region, form, placement);
  const strided = stridedReads(
    graph,
    region.members,
    region.outputs,
    form,
    "columns",
    new Map(roots.map(({ id, turns }) => [id, turns])),
  );
  const plain = readsOf(graph, region.members, region.outputs, strided);
  const registers = BASE_REGISTERS + liveScalars(graph, region) + reductions.length;
  const held = 4 * columns * columnFolds.length;
  const shared = {
    lane,
    stridedWrites: turnedWrites(graph, form, roots, "columns"),
    chunks: bands,
    chunkLength: perBand,
    workgroups: bands,
    dispatches: 2,
    temporaryBytes: bands * held,
    temporaries: columnFolds.length,
  };
  if (target.schedule === "cpu") {
    const touched = new Map(plain.map(({ value, elements }) => [value, elements]));
    const byRow = region.outputs.filter(
      (id) => !columnFolds.includes(id) && wholeOutput(graph, placement, id) === null,
    );
    const width = lane === "columns" ? 4 : 1;
    const passes = passesPerRead(graph, region, form, roots, byRow, touched, { own: width, all: width }, [new Map()]);
    return blank({
      ...shared,
      variant: "mixed-thread",
      reads: withRereads(plain, passes),
      threadsPerWorkgroup: 1,
      workgroupBytes: held,
      registers,
    });
  }
  const joined = joiningOf(target, knobs);
  const joining = joinBytes(graph, form, joined);
  const threads = Math.min(Math.max(32, nextPowerOfTwo(Math.ceil(columns / 4))), threadsWithin(target, joining));
  const cached = cachedValues(graph, region, form, placement);
  return blank({
    ...shared,
    variant: "mixed-row",
    joined,
    cached,
    reads: plain,
    threadsPerWorkgroup: threads,
    workgroupBytes: threads * joining,
    registers: registers + Math.ceil(columns / threads) * (cached.length + columnFolds.length),
  });
}

/** Length of the run of folded neighbours in memory: 1 where neighbours belong to other rows. */
function contiguous({ space, reducedAxes }: RegionForm): number {
  let run = 1;
  for (let axis = space.length - 1; axis >= 0 && (space[axis] === 1 || reducedAxes.includes(axis)); axis--)
    run *= space[axis]!;
  return run;
}
