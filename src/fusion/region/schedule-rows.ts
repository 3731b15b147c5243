/** @file Rows that are folded: how each is read, by how many threads, and what stays in registers from one pass to the next. */
import { node, sizeOf, stridesOf, type Graph, type Knobs, type NodeId, type Shape, type Target } from "../ir";
import { opDef } from "../ops";
import { placeRows, wholeOutput, type RowPlacement } from "./classify";
import { laneCoordinates, rowLane } from "./lanes";
import { orderWay, scheduleMerged } from "./merged-order";
import { mergedStages } from "./one-pass";
import { neighbours, readsOf, stridedReads } from "./reads";
import { passesPerRead, type PassRoot } from "./row-passes";
import { isOrder } from "./row-ops";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "./schedule-parts";
import {
  joinBytes,
  joiningOf,
  LONG_FINISH,
  nextPowerOfTwo,
  scanBytes,
  sortBytes,
  sortsOf,
  threadsWithin,
} from "./threads";
import { turnPoint } from "./turns";
import type { RegionForm, RegionRead, RegionSchedule, Variant } from "./types";

/** Values per thread that registers hold without spilling. */
const CACHED_VALUES = 64;
const PER_THREAD = 16;
/** Rows up to this long are walked by one thread each. */
const SHORT_ROW = 16;
/** Rows in pieces of at least so many neighbours are still read in whole cache lines by a workgroup. */
const CONTIGUOUS_RUN = 32;
/** More live registers than this cost occupancy: values are then read again rather than kept. */
const SOFT_REGISTERS = 64;

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
  const { rows, columns } = form;
  const isFull = (id: NodeId): boolean => columns > 1 && wholeOutput(graph, placement, id) !== null;
  const stages = form.reductions.reduce((most, { stage }) => Math.max(most, stage + 1), 0);
  const rowOnly = !region.outputs.some(isFull);
  const carriesIndex = form.reductions.some(({ node: id }) => opDef(node(graph, id).op).reduce!.arg !== undefined);
  const scattered = form.template === "general-reduce" && contiguous(form) < CONTIGUOUS_RUN;
  const reading = target.schedule === "cpu" ? undefined : knobs.rows;
  const usual = target.schedule === "cpu" || scattered || columns <= SHORT_ROW;
  // A row is sorted by many threads, or not at all.
  const byThread = form.orders.length === 0 && (reading ? reading === "thread" : usual);
  const mayCut = rowOnly && stages === 1 && !carriesIndex && form.scans.length + form.orders.length === 0 && !reading;
  const chunks = mayCut ? chunksOf(rows, columns, byThread, target) : 1;
  const lane = knobs.vector === "off" ? "none" : rowLane(form);
  const chunkLength = chunks === 1 ? columns : 4 * Math.ceil(columns / chunks / 4);
  const roots = passRoots(graph, region, form, placement);
  const strided = stridedReads(
    graph,
    region.members,
    region.outputs,
    form,
    byThread && form.template === "general-reduce" ? "rows" : "columns",
    new Map(roots.map(({ id, turns }) => [id, turns])),
  );
  const plain = readsOf(graph, region.members, region.outputs, strided);
  const stridedWrites = turnedWrites(
    graph,
    form,
    roots,
    byThread && form.template === "general-reduce" ? "rows" : "columns",
  );
  const byRow = region.outputs.filter((id) => !isFull(id));
  // Four neighbours at a time, when four of them never leave the row. Threads of a workgroup take turns that differ.
  const width = byThread && lane === "columns" ? 4 : 1;
  const touched = new Map(plain.map(({ value, elements }) => [value, elements]));
  const merged = reading === "one-pass" ? mergedStages(graph, region, form, placement).map(({ stage }) => stage) : [];
  const walked = roots.map((root) => (merged.includes(root.stage - 1) ? { ...root, stage: root.stage - 1 } : root));
  const passesOf = (asked: readonly PassRoot[], all = width): Map<NodeId, number> =>
    passesPerRead(
      graph,
      region,
      form,
      asked,
      byRow,
      touched,
      { own: width, all },
      byThread ? laneCoordinates(form, lane) : [new Map()],
    );
  const live = liveScalars(graph, region);
  const joined = joiningOf(target, knobs);
  const accumulators = form.reductions.length;
  if (usual && scattered && target.schedule === "gpu" && !reading && mayBand(form, region.outputs, isFull)) {
    const threads = Number(knobs.threads ?? Math.min(BAND.threads, target.maxWorkgroupSize));
    return blank({
      variant: "scan-band",
      reads: plain,
      stridedWrites,
      chunks: BAND.rows,
      chunkLength: BAND.each,
      threadsPerWorkgroup: threads,
      workgroups: Math.ceil(rows / BAND.rows),
      workgroupBytes: threads * scanBytes(graph, form),
      registers: BASE_REGISTERS + BAND.each * live + form.scans.length,
    });
  }
  if (byThread) {
    const threads = Number(knobs.threads ?? Math.min(target.schedule === "cpu" ? 64 : 256, target.maxWorkgroupSize));
    const kept =
      chunks === 1 && columns <= (target.schedule === "gpu" ? SHORT_ROW : 4)
        ? cachedValues(graph, region, form, placement)
        : [];
    const fits = BASE_REGISTERS + live + accumulators + columns * kept.length <= SOFT_REGISTERS;
    const cached = fits ? kept : [];
    // One turn is no loop: whatever asks for it, the row is walked once.
    const reads = cached.length > 0 || columns === width ? plain : withRereads(plain, passesOf(walked));
    const variant: Variant = chunks > 1 ? "split-thread" : "row-thread";
    return blank({
      variant,
      lane,
      reads,
      stridedWrites,
      cached,
      threadsPerWorkgroup: threads,
      workgroups: Math.ceil((rows * chunks) / threads),
      registers: BASE_REGISTERS + live + accumulators + columns * cached.length,
      ...(chunks > LONG_FINISH && target.schedule === "gpu" && { joined }),
      ...split(rows, chunks, chunkLength, accumulators),
    });
  }
  const [joining, scanning] = [joinBytes(graph, form, joined), scanBytes(graph, form)];
  const units = Math.min(columns, chunkLength) / (lane === "columns" ? 4 : 1);
  const again = reading === "again" || reading === "one-pass";
  // A row that takes one turn is never read again: whoever asks for passes gets loops to pass.
  const wanted = again ? nextPowerOfTwo(units / 2) : nextPowerOfTwo(Math.ceil(Math.min(columns, chunkLength) / 4));
  const least = sortBytes(sortsOf(graph, form, 1));
  const threads = Number(
    knobs.threads ?? Math.min(Math.max(32, wanted), Math.max(32, threadsWithin(target, joining + scanning, least))),
  );
  const sorts = sortsOf(graph, form, threads * (lane === "columns" ? 4 : 1));
  const sorting = sortBytes(sorts);
  const shared = {
    lane,
    ...(accumulators > 0 && { joined }),
    stridedWrites,
    threadsPerWorkgroup: threads,
    workgroups: rows * chunks,
    workgroupBytes: sorting + threads * (joining + scanning),
  };
  if (chunks > 1)
    return blank({
      variant: "split-row",
      ...shared,
      reads: plain,
      registers: BASE_REGISTERS + 4 * live + accumulators,
      ...split(rows, chunks, chunkLength, accumulators),
    });
  const cached = [...new Set([...cachedValues(graph, region, form, placement), ...form.scans])];
  const share = Math.ceil(columns / threads);
  // A row that is held whole is scanned at once: each turn of the threads has places of its own.
  const workgroupBytes = sorting + threads * (joining + scanning * Math.ceil(units / threads));
  const fits =
    (form.scans.length === 0 || workgroupBytes <= target.maxWorkgroupBytes) && sorts.every(({ kept }) => kept === 0);
  const held = share <= PER_THREAD && share * cached.length <= CACHED_VALUES && fits;
  // What takes one turn stays in registers, whatever was asked for.
  const whole = again ? units <= threads && fits : held;
  if (reading === "registers" ? sorts.every(({ kept }) => kept === 0) : whole) {
    return blank({
      variant: "row-cached",
      ...shared,
      workgroupBytes,
      chunkLength,
      cached,
      // Rows that a workgroup would not hold by itself may be asked for once more, one value a row.
      reads: reading ? withRereads(plain, passesOf(roots.map((root) => ({ ...root, stage: 0 })))) : plain,
      registers: BASE_REGISTERS + live + accumulators + share * cached.length,
    });
  }
  // Where the last turn is a whole one, too, no column is held back: threads know what each of their turns asks for.
  const turn = threads * (lane === "columns" ? 4 : 1);
  const reads = withRereads(plain, passesOf(walked, columns % turn === 0 ? turn : width));
  return blank({
    variant: "row-streaming",
    ...shared,
    merged,
    chunkLength,
    reads,
    registers: BASE_REGISTERS + 4 * live + accumulators,
  });
}

/** Rows side by side in one scan, and neighbours of each that a thread takes in a turn. */
const BAND = { rows: 32, each: 8, threads: 256 };

/** Rows that lie across memory are scanned side by side where that is all the kernel does, and where there is a turn's worth of them. */
const mayBand = (
  { space, reducedAxes, scans, reductions, columns }: RegionForm,
  outputs: readonly NodeId[],
  isFull: (id: NodeId) => boolean,
): boolean => {
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

/** Outputs in which neighbours of the loop lie further apart than one element. */
function turnedWrites(graph: Graph, form: RegionForm, roots: readonly PassRoot[], along: "columns" | "rows"): NodeId[] {
  const axis = form.space.findLastIndex(
    (extent, i) => extent > 1 && form.reducedAxes.includes(i) === (along === "columns"),
  );
  const pair = neighbours(form.space, axis);
  return roots.flatMap(({ id, turns }) => {
    if (turns.length === 0 || !pair) return [];
    const strides = stridesOf(node(graph, id).type.shape);
    const [from, to] = pair.map((at) => turnPoint(turns, at).reduce((sum, value, i) => sum + value * strides[i]!, 0));
    return to! - from! === 1 ? [] : [id];
  });
}

/** Length of the run of folded neighbours in memory: 1 where neighbours belong to other rows. */
function contiguous({ space, reducedAxes }: RegionForm): number {
  let run = 1;
  for (let axis = space.length - 1; axis >= 0 && (space[axis] === 1 || reducedAxes.includes(axis)); axis--)
    run *= space[axis]!;
  return run;
}

const split = (
  rows: number,
  chunks: number,
  chunkLength: number,
  accumulators: number,
): Pick<RegionSchedule, "chunks" | "chunkLength" | "dispatches" | "temporaryBytes"> => ({
  chunks,
  chunkLength,
  dispatches: chunks > 1 ? 2 : 1,
  temporaryBytes: chunks > 1 ? rows * chunks * accumulators * 4 : 0,
});

/** Few long rows leave the machine idle: cut each into chunks, enough for about a thousand workgroups (or 2^18 threads). */
function chunksOf(rows: number, columns: number, byThread: boolean, target: Target): number {
  if (target.schedule === "cpu") return rows < 64 && columns >= 4096 ? Math.min(256, Math.ceil(columns / 1024)) : 1;
  if (byThread)
    return rows < 32768 && columns >= 256
      ? Math.max(1, Math.min(Math.floor(262144 / rows), Math.floor(columns / 64)))
      : 1;
  return rows < 256 && columns > 8192 ? Math.max(1, Math.min(Math.floor(1024 / rows), Math.ceil(columns / 4096))) : 1;
}

const withRereads = (reads: readonly RegionRead[], passes: ReadonlyMap<NodeId, number>): RegionRead[] =>
  reads.map((read) => ({ ...read, rereads: Math.max(0, (passes.get(read.value) ?? 1) - 1) }));

/** What each pass over the row asks for: operands of its reductions, and the full-size outputs known by then. */
export function passRoots(graph: Graph, region: Body, form: RegionForm, placement: RowPlacement): PassRoot[] {
  const outputs = region.outputs.flatMap((id): PassRoot[] => {
    const lie = wholeOutput(graph, placement, id);
    return lie ? [{ id, stage: placement.places.get(id)!.stage, turns: lie.turns }] : [];
  });
  return [
    ...[...form.reductions, ...form.orders].map(({ node: id, stage }) => ({
      id: node(graph, id).inputs[0]!,
      stage,
      turns: [],
    })),
    ...form.columnFolds.map((id) => ({
      id: node(graph, id).inputs[0]!,
      stage: placement.places.get(id)!.stage,
      turns: [],
    })),
    ...outputs,
  ];
}

/** Values that one pass makes and a later one needs, and inputs that several passes load. */
function cachedValues(graph: Graph, region: Body, form: RegionForm, { places }: RowPlacement): NodeId[] {
  const needed = new Map<NodeId, Set<number>>();
  const reduces = new Map([...form.reductions, ...form.orders].map(({ node: id, stage }) => [id, stage]));
  for (const id of region.members) {
    const n = node(graph, id);
    const stage = reduces.get(id) ?? places.get(id)!.stage;
    for (const input of n.inputs) needed.set(input, (needed.get(input) ?? new Set()).add(stage));
  }
  const varies = (shape: Shape): boolean => {
    const skip = form.space.length - shape.length;
    const fits = skip >= 0 && shape.every((extent, axis) => extent === 1 || extent === form.space[skip + axis]);
    // Of a value in another shape only a scalar is surely the same along the row.
    return fits ? form.reducedAxes.some((axis) => (shape[axis - skip] ?? 1) > 1) : sizeOf(shape) > 1;
  };
  return [...needed].flatMap(([id, stages]) => {
    const place = places.get(id);
    if (
      (place && isOrder(node(graph, id))) ||
      node(graph, id).op === "const" ||
      place?.role === "row" ||
      !varies(node(graph, id).type.shape)
    )
      return [];
    const keep = place ? Math.max(...stages) > place.stage : stages.size > 1;
    return keep ? [id] : [];
  });
}
