/** @file Elementwise kernels: neighbours a thread takes, in a flat grid of one or several segments or through a tile that transposes. */
import { node, sameShape, sizeOf, type Graph, type Knobs, type NodeId, type Target } from "../../../ir";
import { loadsByData, opDef } from "../../../ops";
import { hasRangesApart, pointsOfThread, waitingMicros } from "../../count/data-loads";
import { innermost, neighbours, offsetsAt, readsOf, shapesOf, strideProbe, stridedReads } from "../../count/reads";
import { showsOneOperand } from "../../indices/affine";
import { storedInputs } from "../../indices/views";
import { machineOf } from "../../nest/machine";
import { THREADS } from "../../nest/waves";
import { BASE_REGISTERS, blank, liveScalars, MAX_REGISTERS, type Body } from "../../schedule/schedule-parts";
import type { RegionForm, RegionSchedule } from "../../types";
import { inPlaceOf } from "./in-place";
import { flatUnit, heldAtOnce, segmentBody, segmentsOf, unitsOf, type FlatUnit } from "./segments";

/**
 * Neighbours that one thread of a flat kernel takes: four where their values fit its registers, the threads are not too few to wait for
 * searches and no neighbour has a range of its own, or the two halves that share a word, or one.
 * @param live how many values one of them takes
 */
function flatWidth(
  graph: Graph,
  { members, outputs }: Body,
  size: number,
  live: number,
  target: Target,
  knobs: Knobs,
): 1 | 2 | 4 {
  const fits = knobs.vector === "on" || BASE_REGISTERS + 4 * live <= MAX_REGISTERS;
  const mayWait = knobs.vector !== "on" && size < THREADS * machineOf(target).multiprocessors;
  const searches = mayWait && members.some((id) => opDef(node(graph, id).op).kind === "search");
  const apart = knobs.vector !== "on" && hasRangesApart(graph, members);
  if (size % 4 === 0 && knobs.vector !== "off" && fits && !searches && !apart) return 4;
  return !target.shaderF16 && outputs.some((id) => node(graph, id).type.dtype === "f16") ? 2 : 1;
}

/** A transposed tile in workgroup memory: its rows are one value longer than it is wide, so that columns lie in different banks. */
export const TILE = 32;
export const PITCH = TILE + 1;
const TILE_BYTES = TILE * PITCH * 4;
/** How many of them the device has room for. */
export const mostTiles = (target: Target): number => Math.floor(target.maxWorkgroupBytes / TILE_BYTES);

/** The schedule of a kernel without a fold, a scan, an order or a product. */
export function scheduleMap(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  const strided = stridedReads(graph, region.members, region.outputs, form, "columns");
  const size = sizeOf(form.space);
  const threads = Number(knobs.threads ?? Math.min(256, target.maxWorkgroupSize));
  const tileAxes =
    target.schedule === "gpu" && strided.size > 0 && knobs.transposed !== "direct"
      ? transposeAxes(graph, region, form, strided)
      : null;
  const tiled = tileAxes ? tilesOf(graph, region, form, tileAxes, [...strided.keys()], mostTiles(target)) : null;
  const isDirect = ([value]: readonly [NodeId, number]): boolean => tiled?.has(value) !== true;
  const shared = {
    reads: readsOf(graph, region.members, region.outputs, new Map([...strided].filter(isDirect))),
    threadsPerWorkgroup: threads,
  };
  if (tileAxes && tiled!.size > 0) {
    const [b, a] = tileAxes;
    const workgroups =
      Math.ceil(form.space[a]! / TILE) * Math.ceil(form.space[b]! / TILE) * (size / (form.space[a]! * form.space[b]!));
    const live = liveScalars(graph, region);
    return blank({
      ...shared,
      variant: "tile",
      width: flatWidth(graph, region, size, live, target, knobs),
      registers: BASE_REGISTERS + 4 * live,
      tileAxes,
      workgroups,
      workgroupBytes: [...tiled!.values()].reduce((sum, tiles) => sum + tiles, 0) * TILE_BYTES,
    });
  }
  const lives = new Map<number, number>();
  /** Values alive at once behind the outputs of one size. */
  const liveOf = (each: number, which: readonly number[]): number => {
    const whole = which.length === region.outputs.length;
    const live = lives.get(each) ?? liveScalars(graph, whole ? region : segmentBody(graph, region, { which }));
    lives.set(each, live);
    return live;
  };
  const unitOf = (each: number, which: readonly number[]): FlatUnit => {
    const outputs = which.map((at) => region.outputs[at]!);
    const live = liveOf(each, which);
    const width = flatWidth(graph, { members: region.members, outputs }, each, live, target, knobs);
    return flatUnit(graph, { members: region.members, outputs }, each, width, live);
  };
  const turnsOf = (units: number): number =>
    Math.min(Number(knobs.turns ?? 1), Math.max(1, Math.ceil(units / threads)));
  const segments = segmentsOf(graph, region.outputs, threads, unitOf, turnsOf);
  const [largest, last] = [segments[0]!, segments.at(-1)!];
  // Turns that are written out are all on their way at once.
  const unrolled = largest.turns > 1 && knobs.unroll !== "off";
  const registers = segments.map(
    ({ size, which, turns }) => heldAtOnce(unitOf(size, which), liveOf(size, which)) * (unrolled ? turns : 1),
  );
  const inPlace = inPlaceOf(graph, region);
  return blank({
    ...shared,
    variant: "flat",
    ...(inPlace.length > 0 && { inPlace }),
    segments,
    width: largest.width,
    turns: largest.turns,
    unrolled,
    registers: BASE_REGISTERS + Math.max(...registers),
    workgroups: last.first + Math.ceil(Math.ceil(unitsOf(last) / last.turns) / threads),
    ...waitingFor(graph, region, unitsOf({ ...largest, size }), largest.width, target),
  });
}

/** The least time of threads that wait for addresses. */
function waitingFor(
  graph: Graph,
  { members }: Body,
  threads: number,
  width: number,
  target: Target,
): Pick<RegionSchedule, "leastMicros"> {
  const micros = waitingMicros(graph, members, width) * pointsOfThread(threads, machineOf(target));
  return micros > 0 ? { leastMicros: micros } : {};
}

/**
 * Values that are read in tiles, and how many of them each takes: one for each way in which it is loaded. A value of which some loads can't
 * have a tile has none: the others would load it once more.
 */
function tilesOf(
  graph: Graph,
  { members, outputs }: Body,
  { space }: RegionForm,
  axes: readonly [number, number],
  strided: readonly NodeId[],
  most: number,
): ReadonlyMap<NodeId, number> {
  const apart = new Set(loadedByParts(graph, members));
  const origin = space.map(() => 0);
  const ends = axes.map((axis) => space[axis]! - 1);
  const points = [origin, ...axes.flatMap((axis, i) => [origin.with(axis, 1), origin.with(axis, ends[i]!)])];
  const ways = offsetsAt(
    graph,
    members,
    outputs.map((id) => ({ id, points })),
  );
  const tiles = new Map<NodeId, number>();
  let left = most;
  for (const value of strided) {
    const found = ways.get(value) ?? [];
    const own = new Set(found.map((offsets) => offsets.join())).size;
    const isLinear = found.every(([first, ...steps]) =>
      ends.every((end, i) => end * (steps[2 * i]! - first!) === steps[2 * i + 1]! - first!),
    );
    if (apart.has(value) || !isLinear || own === 0 || own > left) continue;
    tiles.set(value, own);
    left -= own;
  }
  return tiles;
}

/** Stored values that threads load for some elements only, or by indices that are data. */
function loadedByParts(graph: Graph, members: readonly NodeId[]): readonly NodeId[] {
  const below = new Set<NodeId>();
  for (const id of members.toReversed()) {
    const n = node(graph, id);
    const def = opDef(n.op);
    const isWhole = def.kind === "movement" ? showsOneOperand(n, shapesOf(graph, n)) : !loadsByData(def);
    if (isWhole && !below.has(id)) continue;
    below.add(id);
    for (const input of n.inputs) below.add(input);
  }
  return storedInputs(
    graph,
    members.filter((id) => below.has(id)),
  );
}

/** The other axis of a plain transposition, when every strided read lies contiguously along the same one. */
function transposeAxes(
  graph: Graph,
  region: Body,
  form: RegionForm,
  strided: ReadonlyMap<NodeId, number>,
): readonly [number, number] | null {
  const inner = innermost(form.space);
  const alike = region.outputs.every((id) => sameShape(node(graph, id).type.shape, form.space));
  if (!alike || form.space[inner]! < 8) return null;
  for (let axis = 0; axis < inner; axis++) {
    const pair = neighbours(form.space, axis);
    if (!pair || form.space[axis]! < 8) continue;
    const strides = strideProbe(
      graph,
      region.members,
      region.outputs.map((id) => ({ id, pair })),
    );
    if ([...strided.keys()].every((value) => [...(strides.get(value) ?? [])].join() === "1")) return [axis, inner];
  }
  return null;
}
