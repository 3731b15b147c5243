/** @file How a region's loops meet the threads, and what that takes: rereads, registers, workgroup memory. */
import {
  bug,
  dtypeBytes,
  knobsFor,
  node,
  sameShape,
  sizeOf,
  type Graph,
  type Knobs,
  type NodeId,
  type Target,
} from "../../ir";
import { knobsKept } from "./schedule-overrides";
import {
  CPU_TILE,
  matmulSizes,
  namedTile,
  THIN,
  tileBytes,
  tileRereads,
  tileThreads,
  type MatmulSizes,
} from "../shapes/matmul/matmul";
import { aloneShare, productFactors, type ProductShape } from "../shapes/matmul/matmul-factors";
import { waitingMicros } from "../count/data-loads";
import { readTwice } from "../shapes/attention/reduce-schedule";
import { followersOf, isTurned, samplesOf } from "../indices/alignment";
import { productsOf } from "../shapes/matmul/shared-operand";
import { classify } from "../classify";
import { isOnline } from "../shapes/attention/classify-online";
import { ownedFigures, ownedTile } from "../shapes/matmul/owned-rows";
import { scheduleOnline } from "../shapes/attention/online-schedule";
import { inPlaceOf } from "../shapes/map/in-place";
import { innermost, neighbours, readsOf, strideProbe, stridedReads } from "../count/reads";
import { launchedKey, LaunchedLoop, uncutOf } from "../shapes/loop/launched";
import { launchedCounts } from "../shapes/loop/launched-counts";
import { scheduleRowLoop } from "../shapes/loop/row-region";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "./schedule-parts";
import { flatUnit, heldAtOnce, segmentBody, segmentsOf, unitsOf, type FlatUnit } from "../shapes/map/segments";
import { machineOf } from "../nest/machine";
import { scheduleRows } from "../shapes/fold/schedule-rows";
import { joiningOf } from "../nest/threads";
import type { RegionForm, RegionSchedule, ThinFactors } from "../types";
import { isViewRegion } from "../indices/views";

/**
 * The schedule that the written kernel follows and cost prices. Deterministic in its arguments. What was chosen for the kernel holds as far as
 * the machine can do it (`knobsKept`); the planner chooses the rest.
 * @param form classify's answer for exactly these members and outputs
 */
export function scheduleRegion(graph: Graph, region: Body, form: RegionForm, target: Target): RegionSchedule {
  if (isViewRegion(graph, region) || storesNothing(graph, region)) return blank({ variant: "view", dispatches: 0 });
  if (launchedKey(graph, region.members) !== null) return scheduleLaunched(graph, region, target);
  const knobs = knobsFor(target.knobs, region.outputs);
  return knobsKept(knobs, target, (kept) => scheduleWith(graph, region, form, target, kept)).schedule;
}

/** The launches of a loop: the counts of all iterations, and the threads of their largest kernel. */
function scheduleLaunched(graph: Graph, { outputs }: Body, target: Target): RegionSchedule {
  const loop = new LaunchedLoop(graph, outputs);
  const { dispatches, reads, handed, peak, kernels } = launchedCounts(loop);
  const each = kernels.launches.map(({ region }) =>
    scheduleRegion(kernels.graph, region, formOf(kernels.graph, region), uncutOf(target)),
  );
  const most = (of: (one: RegionSchedule) => number): number => Math.max(0, ...each.map(of));
  return blank({
    variant: "launched",
    dispatches,
    reads,
    handed,
    temporaryPeak: peak,
    workgroups: most(({ workgroups }) => workgroups),
    threadsPerWorkgroup: most(({ threadsPerWorkgroup }) => threadsPerWorkgroup),
    registers: most(({ registers }) => registers),
    leastMicros: loop.iterations * each.reduce((sum, { leastMicros = 0 }) => sum + leastMicros, 0),
  });
}

/** The form of a kernel of an iteration. */
function formOf(graph: Graph, { members, outputs }: Body): RegionForm {
  const found = classify(graph, members, outputs);
  if (!found.ok) throw bug(found.verdict.text);
  return found.form;
}

/** The schedule with these knobs, whatever it takes. Not of views. */
export function scheduleWith(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  if (isOnline(form.template)) {
    const planned = scheduleOnline(graph, region, form, target, liveScalars(graph, region), knobs.tile);
    // Chunks of rows are joined by a workgroup each.
    const joined = planned.dispatches === 2 ? { joined: joiningOf(target, knobs) } : {};
    return blank({ ...planned, ...joined, registers: BASE_REGISTERS + planned.registers! });
  }
  if (form.template === "row-loop") return scheduleRowLoop(graph, region, form, target, knobs);
  if (form.contraction !== null) return scheduleMatmul(graph, region, form, target, knobs);
  if (form.reductions.length + form.scans.length + form.orders.length > 0)
    return scheduleRows(graph, region, form, target, knobs);
  return schedulePointwise(graph, region, form, target, knobs);
}

/** Outputs without an element: there is nothing to launch for. */
const storesNothing = (graph: Graph, { outputs }: Body): boolean =>
  outputs.every((id) => sizeOf(node(graph, id).type.shape) === 0);

/** Neighbours that one thread of a flat kernel takes: four, or the two halves that share a word, or one. */
function flatWidth(graph: Graph, outputs: readonly NodeId[], size: number, target: Target, knobs: Knobs): 1 | 2 | 4 {
  const paired = !target.shaderF16 && outputs.some((id) => node(graph, id).type.dtype === "f16");
  return size % 4 === 0 && knobs.vector !== "off" ? 4 : paired ? 2 : 1;
}

/** Workgroup memory of one transposed tile: 32 rows of 32 values, and one more so that columns lie in different banks. */
const TRANSPOSE_BYTES = 32 * 33 * 4;

function schedulePointwise(graph: Graph, region: Body, form: RegionForm, target: Target, knobs: Knobs): RegionSchedule {
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
    return blank({
      ...shared,
      variant: "tile",
      width: flatWidth(graph, region.outputs, size, target, knobs),
      registers: BASE_REGISTERS + 4 * liveScalars(graph, region),
      tileAxes,
      workgroups: tiles,
      workgroupBytes: Math.min(strided.size, tilesAtOnce) * TRANSPOSE_BYTES,
    });
  }
  const unitOf = (each: number, which: readonly number[]): FlatUnit => {
    const outputs = which.map((at) => region.outputs[at]!);
    const body = outputs.length === region.outputs.length ? region : segmentBody(graph, region, { which });
    const width = flatWidth(graph, outputs, each, target, knobs);
    return flatUnit(graph, region.members, each, width, () => liveScalars(graph, body));
  };
  const turnsOf = (units: number): number =>
    Math.min(Number(knobs.turns ?? 1), Math.max(1, Math.ceil(units / threads)));
  const segments = segmentsOf(graph, region.outputs, threads, unitOf, turnsOf);
  const [largest, last] = [segments[0]!, segments.at(-1)!];
  // Turns that are written out are all on their way at once.
  const unrolled = largest.turns > 1 && knobs.unroll !== "off";
  const registers = segments.map((segment) => {
    const live = liveScalars(graph, segments.length > 1 ? segmentBody(graph, region, segment) : region);
    return heldAtOnce(unitOf(segment.size, segment.which), live) * (unrolled ? segment.turns : 1);
  });
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

/** One tile across: its workgroup owns whole rows. */
function scheduleOwned(graph: Graph, region: Body, form: RegionForm, target: Target): RegionSchedule {
  const tile = ownedTile(graph, form.contraction!, target);
  const reads = readsOf(graph, region.members, region.outputs);
  const registers = BASE_REGISTERS + liveScalars(graph, region) + form.reductions.length;
  if (target.schedule === "cpu")
    return blank({
      variant: "matmul-rows-thread",
      reads,
      threadsPerWorkgroup: 64,
      workgroups: Math.ceil(form.rows / 64),
      registers: registers + form.columns,
    });
  return blank({
    variant: "matmul-rows",
    matmul: tile,
    reads,
    registers: registers + tile.rm + tile.rn,
    ...ownedFigures(graph, form, tile),
  });
}

function scheduleMatmul(graph: Graph, region: Body, form: RegionForm, target: Target, knobs: Knobs): RegionSchedule {
  if (form.reductions.length > 0) return scheduleOwned(graph, region, form, target);
  const sizes = matmulSizes(graph, form.contraction!);
  const products = productsOf(graph, region.members);
  const reads = readsOf(graph, region.members, region.outputs);
  const shared = { reads, stridedWrites: stridedOutputs(graph, region, false) };
  const live = BASE_REGISTERS + liveScalars(graph, region);
  if (target.schedule === "cpu") {
    const tile = CPU_TILE;
    const tiles = sizes.batch * Math.ceil(sizes.m / tile.m) * Math.ceil(sizes.n / tile.n);
    return blank({
      ...shared,
      variant: "matmul-registers",
      matmul: tile,
      threadsPerWorkgroup: 64,
      workgroups: Math.ceil(tiles / 64),
      registers: live + 24,
      modelledBytes: tileRereads(sizes, tile),
    });
  }
  const shape = {
    sizes,
    count: products.length,
    ...alongK(graph, region.members, products, sizes),
    bytes: dtypeBytes(node(graph, node(graph, form.contraction!).inputs[0]!).type.dtype),
  };
  const factors = productFactors(shape, target, products.length > 1 ? null : namedTile(knobs.tile));
  if (!factors) {
    const threads = Math.min(256, target.maxWorkgroupSize);
    return blank({
      ...shared,
      variant: "matmul-direct",
      threadsPerWorkgroup: threads,
      workgroups: Math.ceil(sizeOf(form.space) / threads),
      registers: live + 4,
      reached: aloneShare(sizeOf(form.space) / 4, target),
    });
  }
  const { tile, thin, chunks, chunkLength, workgroups, reached, micros } = factors;
  const parts = chunks > 1 ? 4 * chunks * products.length * sizes.batch * sizes.m * sizes.n : 0;
  const split = {
    chunks,
    chunkLength,
    dispatches: chunks > 1 ? 2 : 1,
    temporaryBytes: parts,
    temporaries: products.length,
    reads: chunks > 1 ? readTwice(graph, products, region, reads) : reads,
    workgroups,
  };
  if (thin) {
    return blank({
      ...shared,
      ...split,
      variant: "matmul-direct",
      thin,
      leastMicros: micros,
      ...(thin.along === "k" && { joined: joiningOf(target, knobs) }),
      threadsPerWorkgroup: thin.threads,
      registers: live + 4 * accumulatorsOf(thin) * products.length,
    });
  }
  return blank({
    ...shared,
    ...split,
    variant: "matmul-tile",
    stridedWrites: chunks > 1 ? shared.stridedWrites : stridedOutputs(graph, region, true),
    matmul: tile,
    reached,
    threadsPerWorkgroup: tileThreads(tile!),
    workgroupBytes: tileBytes(tile!),
    registers: live + tile!.rm + tile!.rn,
    modelledBytes: tileRereads({ ...sizes, n: products.length * sizes.n }, tile!),
  });
}

/** Vectors in which a thread adds up. */
const accumulatorsOf = ({ along, rows, columns }: ThinFactors): number =>
  along === "k" ? rows * columns : along === "n" ? rows : columns;

/** Which operands lie contiguously along k. The left one is asked about only where few threads may wait for it. */
function alongK(
  graph: Graph,
  members: readonly NodeId[],
  products: readonly NodeId[],
  { m, n }: MatmulSizes,
): Pick<ProductShape, "leftAlongK" | "rightAlongK"> {
  const lies = (which: 0 | 1): boolean => products.every((id) => liesAlongK(graph, members, id, which));
  return { leftAlongK: Math.min(m, n) >= THIN || lies(0), rightAlongK: lies(1) };
}

/** Do neighbours along k of that operand lie side by side in the largest tensor behind it? */
function liesAlongK(graph: Graph, members: readonly NodeId[], product: NodeId, which: 0 | 1): boolean {
  const id = node(graph, product).inputs[which]!;
  const { shape } = node(graph, id).type;
  const pair = neighbours(shape, Math.max(0, shape.length - (which === 0 ? 1 : 2)));
  if (!pair) return false;
  const steps = [...strideProbe(graph, members, [{ id, pair }])];
  const sizeOfValue = ([value]: (typeof steps)[number]): number => sizeOf(node(graph, value).type.shape);
  const largest = steps.toSorted((a, b) => sizeOfValue(b) - sizeOfValue(a))[0];
  return largest?.[1].has(1) ?? false;
}

/**
 * Outputs in which neighbouring columns of the product lie further apart than one element.
 * @param turns the kernel turns blocks whose rows lie side by side
 */
function stridedOutputs(graph: Graph, { members, outputs }: Body, turns: boolean): NodeId[] {
  return productsOf(graph, members).flatMap((product) => {
    const { shape } = node(graph, product).type;
    const next = samplesOf(shape).indexOf(1);
    const { followers } = followersOf(graph, members, product);
    if (next < 0 || shape.at(-1) === 1) return [];
    return outputs.filter((id) => {
      const follower = followers.get(id);
      return follower && follower.places[next] !== 1 && !(turns && isTurned(graph, product, follower));
    });
  });
}
