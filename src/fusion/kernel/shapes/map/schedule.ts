/** @file Elementwise kernels: neighbours a thread takes, in a flat grid of one or several segments or through a tile that transposes. */
import { node, sameShape, sizeOf, type Graph, type Knobs, type NodeId, type Target } from "../../../ir";
import { waitingMicros } from "../../count/data-loads";
import { innermost, neighbours, readsOf, strideProbe, stridedReads } from "../../count/reads";
import { machineOf } from "../../nest/machine";
import { BASE_REGISTERS, blank, liveScalars, MAX_REGISTERS, type Body } from "../../schedule/schedule-parts";
import type { RegionForm, RegionSchedule } from "../../types";
import { inPlaceOf } from "./in-place";
import { flatUnit, heldAtOnce, segmentBody, segmentsOf, unitsOf, type FlatUnit } from "./segments";

/**
 * Neighbours that one thread of a flat kernel takes: four where their values fit its registers, or the two halves that share a word, or one.
 * @param live how many values one of them takes
 */
function flatWidth(
  graph: Graph,
  outputs: readonly NodeId[],
  size: number,
  live: number,
  target: Target,
  knobs: Knobs,
): 1 | 2 | 4 {
  const fits = knobs.vector === "on" || BASE_REGISTERS + 4 * live <= MAX_REGISTERS;
  if (size % 4 === 0 && knobs.vector !== "off" && fits) return 4;
  return !target.shaderF16 && outputs.some((id) => node(graph, id).type.dtype === "f16") ? 2 : 1;
}

/** Workgroup memory of one transposed tile: 32 rows of 32 values, and one more so that columns lie in different banks. */
const TRANSPOSE_BYTES = 32 * 33 * 4;

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
  const tilesAtOnce = target.schedule === "gpu" ? Math.floor(target.maxWorkgroupBytes / TRANSPOSE_BYTES) : 0;
  const tileAxes =
    tilesAtOnce > 0 && strided.size > 0 && knobs.transposed !== "direct"
      ? transposeAxes(graph, region, form, strided)
      : null;
  const shared = {
    reads: readsOf(graph, region.members, region.outputs, tileAxes ? new Map() : strided),
    threadsPerWorkgroup: threads,
  };
  if (tileAxes) {
    const [b, a] = tileAxes;
    const tiles =
      Math.ceil(form.space[a]! / 32) * Math.ceil(form.space[b]! / 32) * (size / (form.space[a]! * form.space[b]!));
    const live = liveScalars(graph, region);
    return blank({
      ...shared,
      variant: "tile",
      width: flatWidth(graph, region.outputs, size, live, target, knobs),
      registers: BASE_REGISTERS + 4 * live,
      tileAxes,
      workgroups: tiles,
      workgroupBytes: Math.min(strided.size, tilesAtOnce) * TRANSPOSE_BYTES,
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
    return flatUnit(graph, region.members, each, flatWidth(graph, outputs, each, live, target, knobs), live);
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
    ...waitingFor(graph, region, unitsOf({ ...largest, size }), target),
  });
}

/** The least time of threads that wait for addresses. */
function waitingFor(
  graph: Graph,
  { members }: Body,
  threads: number,
  target: Target,
): Pick<RegionSchedule, "leastMicros"> {
  const micros = waitingMicros(graph, members, threads, machineOf(target));
  return micros > 0 ? { leastMicros: micros } : {};
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
