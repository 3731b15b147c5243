/** @file How a region's loops meet the threads, and what that takes: rereads, registers, workgroup memory. */
import { node, sameShape, sizeOf, type Graph, type NodeId, type Region, type Shape, type Target } from "../ir";
import { opDef } from "../ops";
import { placeRows, wholeOutput, type RowPlacement } from "./classify";
import {
  jointTile,
  matmulSizes,
  matmulTile,
  sharedDots,
  tileBytes,
  tileEfficiency,
  tileRereads,
  tileThreads,
} from "./matmul";
import { productsOf } from "./dual";
import { isOnline } from "./classify-online";
import { scheduleOnline } from "./online-schedule";
import { innermost, neighbours, readsOf, strideProbe, stridedReads } from "./reads";
import { laneCoordinates } from "./lanes";
import { passesPerRead, type PassRoot } from "./row-passes";
import { joinBytes, threadsWithin } from "./threads";
import type { RegionForm, RegionRead, RegionSchedule, Variant } from "./types";
import { isViewRegion } from "./views";

type Body = Pick<Region, "members" | "outputs">;
/** Address arithmetic and loop counters of any kernel. */
const BASE_REGISTERS = 12;
/** Values per thread that registers hold without spilling. */
const CACHED_VALUES = 64;
const PER_THREAD = 16;
/** Rows up to this long are walked by one thread each. */
const SHORT_ROW = 16;
/** Rows in pieces of at least so many neighbours are still read in whole cache lines by a workgroup. */
const CONTIGUOUS_RUN = 32;
/** More live registers than this cost occupancy: values are then read again rather than kept. */
const SOFT_REGISTERS = 64;

/**
 * The schedule codegen will follow and cost will price. Deterministic in its arguments.
 * @param form classify's answer for exactly these members and outputs
 */
export function scheduleRegion(graph: Graph, region: Body, form: RegionForm, target: Target): RegionSchedule {
  if (isViewRegion(graph, region) || storesNothing(graph, region)) return blank({ variant: "view", dispatches: 0 });
  if (isOnline(form.template)) {
    const planned = scheduleOnline(graph, region, form, target, liveScalars(graph, region));
    return blank({ ...planned, registers: BASE_REGISTERS + planned.registers! });
  }
  if (form.contraction !== null) return scheduleMatmul(graph, region, form, target);
  if (form.reductions.length > 0) return scheduleRows(graph, region, form, target);
  return schedulePointwise(graph, region, form, target);
}

/** Outputs without an element: there is nothing to launch for. */
const storesNothing = (graph: Graph, { outputs }: Body): boolean =>
  outputs.every((id) => sizeOf(node(graph, id).type.shape) === 0);

const blank = (given: Partial<RegionSchedule> & { variant: Variant }): RegionSchedule => ({
  cached: [],
  chunks: 1,
  chunkLength: 1,
  tileAxes: null,
  matmul: null,
  reads: [],
  workgroups: 0,
  threadsPerWorkgroup: 0,
  workgroupBytes: 0,
  registers: 0,
  dispatches: 1,
  temporaryBytes: 0,
  modelledBytes: 0,
  ...given,
});

/** Most values alive at once when the members run in order. */
function liveScalars(graph: Graph, { members, outputs }: Body): number {
  const lastUse = new Map<NodeId, number>();
  const isValue = (id: NodeId): boolean => node(graph, id).op !== "const";
  members.forEach((id, i) =>
    node(graph, id)
      .inputs.filter(isValue)
      .forEach((input) => lastUse.set(input, i)),
  );
  for (const id of outputs) lastUse.set(id, members.length);
  const dying = new Map<number, number>();
  for (const at of lastUse.values()) dying.set(at, (dying.get(at) ?? 0) + 1);
  const born = new Set<NodeId>();
  let live = 0;
  let most = 0;
  members.forEach((id, i) => {
    for (const value of [...node(graph, id).inputs, id]) {
      if (born.has(value) || !lastUse.has(value)) continue;
      born.add(value);
      live++;
    }
    most = Math.max(most, live);
    live -= dying.get(i) ?? 0;
  });
  return most;
}

/** Neighbours that one thread of a flat kernel takes: four, or the two halves that share a word, or one. */
export function flatWidth(graph: Graph, { outputs }: Pick<Region, "outputs">, size: number, target: Target): 1 | 2 | 4 {
  if (size % 4 === 0) return 4;
  return !target.shaderF16 && outputs.some((id) => node(graph, id).type.dtype === "f16") ? 2 : 1;
}

/** Workgroup memory of one transposed tile: 32 rows of 32 values, and one more so that columns lie in different banks. */
const TRANSPOSE_BYTES = 32 * 33 * 4;

function schedulePointwise(graph: Graph, region: Body, form: RegionForm, target: Target): RegionSchedule {
  const strided = stridedReads(graph, region.members, region.outputs, form, "columns");
  const size = sizeOf(form.space);
  const width = flatWidth(graph, region, size, target);
  const threads = Math.min(256, target.maxWorkgroupSize);
  const tilesAtOnce = target.schedule === "gpu" ? Math.floor(target.maxWorkgroupBytes / TRANSPOSE_BYTES) : 0;
  const tileAxes = tilesAtOnce > 0 && strided.size > 0 ? transposeAxes(graph, region, form, strided) : null;
  const shared = {
    reads: readsOf(graph, region.members, region.outputs, tileAxes ? new Set() : strided),
    threadsPerWorkgroup: threads,
    registers: BASE_REGISTERS + liveScalars(graph, region) * (tileAxes ? 4 : width),
  };
  if (tileAxes) {
    const [b, a] = tileAxes;
    const tiles =
      Math.ceil(form.space[a]! / 32) * Math.ceil(form.space[b]! / 32) * (size / (form.space[a]! * form.space[b]!));
    return blank({
      ...shared,
      variant: "tile",
      tileAxes,
      workgroups: tiles,
      workgroupBytes: Math.min(strided.size, tilesAtOnce) * TRANSPOSE_BYTES,
    });
  }
  return blank({ ...shared, variant: "flat", workgroups: Math.ceil(size / width / threads) });
}

/** The other axis of a plain transposition, when every strided read lies contiguously along the same one. */
function transposeAxes(
  graph: Graph,
  region: Body,
  form: RegionForm,
  strided: ReadonlySet<NodeId>,
): readonly [number, number] | null {
  const inner = innermost(form.space);
  const alike = region.outputs.every((id) => sameShape(node(graph, id).type.shape, form.space));
  if (!alike || form.space[inner]! < 8) return null;
  for (let axis = 0; axis < inner; axis++) {
    const pair = neighbours(form.space, axis);
    if (!pair || form.space[axis]! < 8) continue;
    const strides = strideProbe(graph, region.members, region.outputs.map((id) => ({ id, pair }))); // prettier-ignore
    if ([...strided].every((value) => [...(strides.get(value) ?? [])].join() === "1")) return [axis, inner];
  }
  return null;
}

function scheduleMatmul(graph: Graph, region: Body, form: RegionForm, target: Target): RegionSchedule {
  const sizes = matmulSizes(graph, form.contraction!);
  const products = productsOf(graph, region.members).length;
  const tile = products > 1 ? jointTile(sizes, products, target) : matmulTile(sizes, target);
  const reads = readsOf(graph, region.members, region.outputs, new Set());
  const live = liveScalars(graph, region);
  if (!tile) {
    const threads = Math.min(256, target.maxWorkgroupSize);
    return blank({
      variant: "matmul-direct",
      reads,
      threadsPerWorkgroup: threads,
      workgroups: sharedDots(sizes, target) ?? Math.ceil(sizeOf(form.space) / threads),
      registers: BASE_REGISTERS + live + 4,
    });
  }
  const joint = target.schedule === "gpu" ? { ...sizes, n: products * sizes.n } : sizes;
  const tiles = sizes.batch * Math.ceil(sizes.m / tile.m) * Math.ceil(joint.n / tile.n);
  const modelledBytes = tileRereads(joint, tile);
  if (target.schedule === "cpu") {
    return blank({
      variant: "matmul-registers",
      matmul: tile,
      reads,
      threadsPerWorkgroup: 64,
      workgroups: Math.ceil(tiles / 64),
      registers: BASE_REGISTERS + live + 24,
      modelledBytes,
    });
  }
  const registers = BASE_REGISTERS + live + tile.rm + tile.rn;
  return blank({
    variant: "matmul-tile",
    matmul: tile,
    reads,
    threadsPerWorkgroup: tileThreads(tile),
    workgroups: tiles,
    workgroupBytes: tileBytes(tile),
    registers,
    modelledBytes,
    efficiency: tileEfficiency(joint, tile),
  });
}

function scheduleRows(graph: Graph, region: Body, form: RegionForm, target: Target): RegionSchedule {
  const placement = placeRows(graph, region.members) as RowPlacement;
  const { rows, columns } = form;
  const isFull = (id: NodeId): boolean => columns > 1 && wholeOutput(graph, placement, id) !== null;
  const stages = form.reductions.reduce((most, { stage }) => Math.max(most, stage + 1), 0);
  const rowOnly = !region.outputs.some(isFull);
  const carriesIndex = form.reductions.some(({ node: id }) => opDef(node(graph, id).op).reduce!.arg !== undefined);
  const scattered = form.template === "general-reduce" && contiguous(form) < CONTIGUOUS_RUN;
  const byThread = target.schedule === "cpu" || scattered || columns <= SHORT_ROW;
  const chunks = rowOnly && stages === 1 && !carriesIndex ? chunksOf(rows, columns, byThread, target) : 1;
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
  const byRow = region.outputs.filter((id) => !isFull(id));
  // Four neighbours at a time, when four of them never leave the row. Threads of a workgroup take turns that differ.
  const width = byThread && columns % 4 === 0 && contiguous(form) % 4 === 0 ? 4 : 1;
  const touched = new Map(plain.map(({ value, elements }) => [value, elements]));
  const passes = (): Map<NodeId, number> =>
    passesPerRead(graph, region, form, roots, byRow, touched, width, byThread ? laneCoordinates(form) : [new Map()]);
  const live = liveScalars(graph, region);
  const accumulators = form.reductions.length;
  if (byThread) {
    const threads = Math.min(target.schedule === "cpu" ? 64 : 256, target.maxWorkgroupSize);
    const kept =
      chunks === 1 && columns <= (target.schedule === "gpu" ? SHORT_ROW : 4) ? cachedValues(graph, region, form, placement) : []; // prettier-ignore
    const fits = BASE_REGISTERS + live + accumulators + columns * kept.length <= SOFT_REGISTERS;
    const cached = fits ? kept : [];
    // One turn is no loop: whatever asks for it, the row is walked once.
    const reads = cached.length > 0 || columns === width ? plain : withRereads(plain, passes());
    const variant: Variant = chunks > 1 ? "split-thread" : "row-thread";
    return blank({
      variant,
      reads,
      cached,
      threadsPerWorkgroup: threads,
      workgroups: Math.ceil((rows * chunks) / threads),
      registers: BASE_REGISTERS + live + accumulators + columns * cached.length,
      ...split(rows, chunks, chunkLength, accumulators),
    });
  }
  const perThread = joinBytes(graph, form);
  const threads = Math.min(
    Math.max(32, nextPowerOfTwo(Math.ceil(Math.min(columns, chunkLength) / 4))),
    threadsWithin(target, perThread),
  );
  const workgroupBytes = threads * perThread;
  const shared = { threadsPerWorkgroup: threads, workgroups: rows * chunks, workgroupBytes };
  if (chunks > 1)
    return blank({
      variant: "split-row",
      ...shared,
      reads: plain,
      registers: BASE_REGISTERS + 4 * live + accumulators,
      ...split(rows, chunks, chunkLength, accumulators),
    });
  const cached = cachedValues(graph, region, form, placement);
  const share = Math.ceil(columns / threads);
  if (share <= PER_THREAD && share * cached.length <= CACHED_VALUES) {
    return blank({
      variant: "row-cached",
      ...shared,
      chunkLength,
      cached,
      reads: plain,
      registers: BASE_REGISTERS + live + accumulators + share * cached.length,
    });
  }
  const reads = withRereads(plain, passes());
  return blank({
    variant: "row-streaming",
    ...shared,
    chunkLength,
    reads,
    registers: BASE_REGISTERS + 4 * live + accumulators,
  });
}

/** Length of the run of folded neighbours in memory: 1 where neighbours belong to other rows. */
function contiguous({ space, reducedAxes }: RegionForm): number {
  let run = 1;
  for (let axis = space.length - 1; axis >= 0 && (space[axis] === 1 || reducedAxes.includes(axis)); axis--)
    run *= space[axis]!;
  return run;
}

const nextPowerOfTwo = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, value)));
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
    ...form.reductions.map(({ node: id, stage }) => ({ id: node(graph, id).inputs[0]!, stage, turns: [] })),
    ...outputs,
  ];
}

/** Values that one pass makes and a later one needs, and inputs that several passes load. */
function cachedValues(graph: Graph, region: Body, form: RegionForm, { places }: RowPlacement): NodeId[] {
  const needed = new Map<NodeId, Set<number>>();
  const reduces = new Map(form.reductions.map(({ node: id, stage }) => [id, stage]));
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
    if (node(graph, id).op === "const" || place?.role === "row" || !varies(node(graph, id).type.shape)) return [];
    const keep = place ? Math.max(...stages) > place.stage : stages.size > 1;
    return keep ? [id] : [];
  });
}
