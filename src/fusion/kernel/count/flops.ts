/** @file Counts the arithmetic of a region: how often each member is evaluated, times what one evaluation costs. */
import { SCAN_STEPS } from "../shapes/groups/schedule";
import { dtypeBytes, literalsOf, node, sizeOf, type Graph, type Node, type NodeId, type Region } from "../../ir";
import { comparisonsOfSorts, retainedByParts, retainedOf } from "../nest/networks";
import { flopsOf, opDef, rowLoopOf, weightedFlopsOf, workOf } from "../../ops";
import { factorsOf } from "../shapes/fold/fold-factors";
import { loopsIn, resultsOf } from "../shapes/loop/map-loops";
import { batchAs, matmulSizes } from "../shapes/matmul/matmul";
import { visitsOf } from "../shapes/matmul/sliding";
import { mergeShape, orderComparisons } from "../shapes/sort/merge-sort";
import { sumOf } from "../shapes/sort/sort-factors";
import { rangeTerms, waitingMicros } from "./data-loads";
import { shapesOf } from "./reads";
import { walksOf } from "./walks";
import { runLines, scatteredLines, warpShares } from "./warps";
import { evaluationsPerElement, type Neighbours } from "./lanes";
import { clustersOf, fourIn, loadsOf, positionsOf, readThroughEdges } from "./positions";
import { segmentBody } from "../shapes/map/segments";
import { showsOneOperand } from "../indices/affine";
import { resolveView } from "../indices/views";
import type { RegionForm, RegionSchedule } from "../types";

type Body = Pick<Region, "members" | "outputs">;

/** Arithmetic of a region: what is shown, and what the price asks. */
export interface Arithmetic {
  /** One for each evaluation of an op; a multiply-add of a matmul is two. */
  readonly flops: number;
  /** The same with functions weighted (`OpDef.weightedFlops`). */
  readonly weighted: number;
  /** Time of a shader, in FLOP of multiply-adds that pass meanwhile (`OpDef.work`). */
  readonly work: number;
  /** What shifted views load again. */
  readonly shifted: Shifted;
  /** Lines of memory that loads ask for whose addresses are data, or whose neighbours' lie far apart. */
  readonly lines: number;
  /** µs that threads of a product wait, all of them together, for searches and ranges of what is multiplied. */
  readonly waits: number;
}

/** Bytes that shifted views load again, a part of a vector like all of it: from the first-level cache, and from the second. */
export interface Shifted {
  readonly near: number;
  readonly far: number;
}

/**
 * Work of an element that lies inside or outside, behind a branch: its comparisons, and the branch around what is loaded. Two and three
 * steps of heat on a padded grid of 2048², in one kernel each, took an H100 0.026 and 0.077 ms, one step 0.010.
 */
const BRANCH_WORK = 24;
/** The same where it is loaded in any case, and dropped where it does not exist. The edges of an image, eight padded reads, took an H200 0.077 ms instead of 0.087. */
const SELECT_WORK = 5;
/** The same of a fold, where each turn finds anew which of the window it takes: 49 of a window took an H200 23 FLOP each, nine along a row 20. */
const FOLDED_SELECT_WORK = 20;

/**
 * FLOP, plain and weighted, and work of one run of the region. A value that a wider loop asks for again and again (a broadcast operand,
 * the operand of a tiled contraction) counts as often as it is computed.
 */
export function regionArithmetic(
  graph: Graph,
  region: Body,
  form: RegionForm | null,
  schedule: RegionSchedule,
): Arithmetic {
  const evaluations = evaluationsOf(graph, region, form, schedule);
  const shares = sharesOf(graph, region, schedule);
  let [flops, weighted, work] = [0, 0, 0];
  const branches = schedule.variant === "flat" && readThroughEdges(graph, region.members);
  // Threads that share nothing are priced by what they load, past edges as well.
  const selecting = schedule.variant === "fold" ? FOLDED_SELECT_WORK : schedule.alone ? 0 : SELECT_WORK;
  for (const id of region.members) {
    const n = node(graph, id);
    const def = opDef(n.op);
    const selects = n.inputs.length === 1 && !branches;
    if (hasEdges(graph, n)) work += (selects ? selecting : BRANCH_WORK) * evaluations.get(id)!;
    if (def.kind === "movement" || def.loop) continue;
    const times = shareOf(n, schedule) * timesOf(graph, n, evaluations.get(id)!, { region, form, schedule });
    const isCounted =
      def.kind === "contraction" || def.ranges !== undefined || def.order !== undefined || def.groups !== undefined;
    flops += times * (isCounted ? 1 : flopsOf(def));
    weighted += times * (isCounted ? 1 : def.weightedFlops);
    work += times * (shares.get(id) ?? 1) * (isCounted ? 1 : workOf(def, literalsOf(graph, n.inputs)));
  }
  // Results of one loop share its iterations.
  for (const results of loopsIn(graph, region.members)) {
    const [{ op, attrs }] = results as [Node];
    const along = rowLoopOf(results[0]!);
    const times = along ? sizeOf(along.outer) : Math.max(...results.map(({ id }) => evaluations.get(id)!));
    const loop = opDef(op).loop!;
    flops += times * loop.flops(attrs, resultsOf(results), flopsOf);
    weighted += times * loop.flops(attrs, resultsOf(results), weightedFlopsOf);
    work += times * loop.flops(attrs, resultsOf(results), workOf);
  }
  const bodies = bodiesOf(graph, region, schedule);
  const lines = scatteredLines(graph, region, evaluations) + linesOfRuns(graph, bodies, schedule);
  const waits = form?.contraction ? waitsOf(graph, region.members, evaluations, schedule) : 0;
  return { flops, weighted, work, lines, waits, shifted: shiftedIn(graph, bodies, schedule) };
}

/** A search or a range is made for each element that is multiplied, or for four of them. */
function waitsOf(
  graph: Graph,
  members: readonly NodeId[],
  evaluations: ReadonlyMap<NodeId, number>,
  { width }: RegionSchedule,
): number {
  const asked = members.filter((id) => ["search", "ranges"].includes(opDef(node(graph, id).op).kind));
  const most = Math.max(0, ...asked.map((id) => evaluations.get(id)!));
  return most === 0 ? 0 : (most / width) * waitingMicros(graph, members, width);
}

/** Where a thread takes all parts of what is joined, none waits for another. */
const sharesOf = (graph: Graph, body: Body, { segments, width, lane }: RegionSchedule): ReadonlyMap<NodeId, number> =>
  segments?.some(({ run }) => run > 1) ? new Map() : warpShares(graph, body, lane === "columns" ? 4 : width);

/** Lines of threads that take more neighbours than a vector has, in each part of the grid. */
const linesOfRuns = (graph: Graph, bodies: readonly Body[], { segments = [] }: RegionSchedule): number =>
  segments.reduce((sum, segment, at) => sum + runLines(graph, bodies[at]!, segment), 0);

/** What a mask leaves of a member: of attention's tiles all that is done in them, elsewhere of the multiplications. */
function shareOf({ op }: Node, { computedShare = 1, flash }: RegionSchedule): number {
  return flash || opDef(op).kind === "contraction" ? computedShare : 1;
}

/** Whether elements of a movement come from several operands, or from none. */
function hasEdges(graph: Graph, n: Node): boolean {
  const { kind, movement } = opDef(n.op);
  return kind === "movement" && movement!.free !== true && !showsOneOperand(n, shapesOf(graph, n));
}

function shiftedIn(graph: Graph, bodies: readonly Body[], { reads, width, lane }: RegionSchedule): Shifted {
  const lanes = lane === "columns" ? 4 : width;
  let [near, far] = [0, 0];
  for (const { members, outputs } of bodies) {
    const { loaded } = positionsOf(graph, members, outputs);
    if (loaded.size === 0) continue;
    // The loops go over what is stored and what is folded; other values may be larger, and are asked for in part.
    const folded = members.flatMap((id) => (opDef(node(graph, id).op).kind === "reduce" ? node(graph, id).inputs : []));
    const shapes = [...outputs, ...folded].map((id) => node(graph, id).type.shape);
    const widest = shapes.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a));
    const walked = sizeOf(widest);
    for (const [id, at] of loaded) {
      const value = resolveView(graph, id);
      const read = reads.find((each) => each.value === value);
      if (!read) continue;
      const clusters = clustersOf(at);
      const { shape, dtype } = node(graph, id).type;
      const loads = clusters.map((cluster) => loadsOf(cluster, lanes, lanes === 4 ? fourIn(shape, widest) : null));
      const bytes = (1 + read.rereads) * dtypeBytes(dtype);
      near += bytes * Math.max(0, loads.reduce((sum, each) => sum + each, 0) * walked - read.elements);
      far += bytes * Math.max(0, clusters.length * walked - read.elements);
    }
  }
  return { near, far };
}

interface Scheduled {
  readonly region: Body;
  readonly form: RegionForm | null;
  readonly schedule: RegionSchedule;
}

/** How often a member's arithmetic is done: for each element that is computed, or folded; the FLOP of a contraction, of ranges or of an order. */
function timesOf(graph: Graph, n: Node, evaluated: number, kernel: Scheduled): number {
  const { form, schedule } = kernel;
  const def = opDef(n.op);
  if (def.kind === "contraction")
    return 2 * matmulSizes(graph, n.id).k * sizeOf(n.type.shape) * (schedule.again?.includes(n.id) ? 2 : 1);
  if (def.kind === "reduce") return sizeOf(node(graph, n.inputs[0]!).type.shape) / comparedWith(form, schedule);
  if (def.ranges) return rangeTerms(graph, n.inputs) * evaluated;
  if (def.groups) return addedBy(graph, n);
  return def.order ? comparisonsOf(graph, n, kernel) : evaluated;
}

/** Bins that an update is compared with, of which it names one: where it is folded into bins, that one alone. */
const comparedWith = (form: RegionForm | null, { bins }: RegionSchedule): number =>
  bins ? form!.rows / bins.lists : 1;

/** Arithmetic on an element for each digit: it is cut out of the key, and counted, once to count and twice to move. */
const DIGIT_OPS = 12;

/** Additions that number elements and cut ranges: one for each element, and for each key what its workgroup scans. */
function addedBy(graph: Graph, n: Node): number {
  const groups = opDef(n.op).groups!;
  return (
    sizeOf(node(graph, n.inputs[0]!).type.shape) +
    (groups.leaves === "ranges" ? groups.targets(n.attrs) * (SCAN_STEPS + 2) : 0)
  );
}

/** Comparisons of an order: those of merged runs, or of what a workgroup sorts. */
function comparisonsOf(graph: Graph, n: Node, { region, form, schedule }: Scheduled): number {
  const { order } = opDef(n.op);
  if (schedule.variant === "merge-sort")
    return sumOf(orderComparisons(mergeShape(graph, region, form!), schedule.chunkLength));
  const { shape } = node(graph, n.inputs[0]!).type;
  if (schedule.digits) return DIGIT_OPS * schedule.digits.passes * sizeOf(shape);
  const columns = shape[order!.axis(n.attrs, shape)]!;
  const count = order!.count(n.attrs, columns);
  const retained = retainedOf(columns, count);
  const perTurn = schedule.threadsPerWorkgroup * (schedule.lane === "columns" ? 4 : 1);
  const { chunks, chunkLength, byThread } = schedule;
  const rows = sizeOf(shape) / columns;
  if (byThread)
    return rows * comparisonsOfSorts({ columns, retained, count, byThread }, factorsOf(schedule.fold!).lanes);
  if (chunks === 1) return rows * comparisonsOfSorts({ columns, retained }, perTurn);
  const left = retainedByParts(columns, retained, chunks, chunkLength);
  return (
    rows *
    (chunks * comparisonsOfSorts({ columns: chunkLength, retained }, perTurn) +
      comparisonsOfSorts({ columns: left, retained }, perTurn))
  );
}

/** How often each member is evaluated, walking back from what is stored: in each part of the grid anew. */
export function evaluationsOf(
  graph: Graph,
  region: Body,
  form: RegionForm | null,
  schedule: RegionSchedule,
): ReadonlyMap<NodeId, number> {
  const bodies = bodiesOf(graph, region, schedule);
  const { width, lane, fold, segments } = schedule;
  const neighboursIn = (part: number): Neighbours => ({
    width: segments?.[part]?.width ?? width,
    run: segments?.[part]?.run ?? 1,
    lane,
    fold,
  });
  if (bodies.length === 1) return evaluationsFor(graph, region, form, schedule, neighboursIn(0));
  const all = new Map<NodeId, number>(region.members.map((id) => [id, 0]));
  bodies.forEach((body, part) => {
    for (const [id, times] of evaluationsFor(graph, body, form, schedule, neighboursIn(part)))
      all.set(id, all.get(id)! + times);
  });
  return all;
}

/** What each part of the grid computes. */
function bodiesOf(graph: Graph, region: Body, { segments }: RegionSchedule): readonly Body[] {
  if (!segments || segments.length < 2) return [region];
  return segments.map((segment) => segmentBody(graph, region, segment));
}

function evaluationsFor(
  graph: Graph,
  { members, outputs }: Body,
  form: RegionForm | null,
  schedule: RegionSchedule,
  neighbours: Neighbours,
): ReadonlyMap<NodeId, number> {
  const inside = new Set(members);
  const known = new Map<NodeId, number>(members.map((id) => [id, 0]));
  for (const id of outputs) known.set(id, sizeOf(node(graph, id).type.shape));
  const ask = (id: NodeId, times: number): void => {
    if (inside.has(id) && times > known.get(id)!) known.set(id, times);
  };
  const perRow = form === null ? new Set<NodeId>() : valuesPerRow(graph, members, form);
  const walked = perRow.size === 0 ? perRow : readInWalks(graph, members, perRow);
  for (let i = members.length - 1; i >= 0; i--) {
    const id = members[i]!;
    const n = node(graph, id);
    const size = sizeOf(n.type.shape);
    const { kind, groups } = opDef(n.op);
    if (perRow.has(id)) known.set(id, size * (kind === "elementwise" ? threadsARow(schedule, walked.has(id)) : 1));
    const times = known.get(id)!;
    n.inputs.forEach((input, operand) => {
      const needed = sizeOf(node(graph, input).type.shape);
      if (kind === "reduce") ask(input, needed / comparedWith(form, schedule));
      else if (kind === "order" || kind === "loop") ask(input, needed);
      else if (kind === "ranges" && operand === 0) ask(input, times * Math.max(1, rangeTerms(graph, n.inputs)));
      else if (groups) ask(input, groups.leaves === "ranges" ? 2 * needed : needed);
      else if (kind === "contraction") ask(input, needed * tileVisits(graph, id, operand, schedule));
      else if (kind === "movement" && n.inputs.length > 1) ask(input, needed);
      else ask(input, times);
    });
  }
  for (const [id, times] of evaluationsPerElement(graph, { members, outputs }, form, neighbours))
    if (inside.has(id) && !perRow.has(id)) known.set(id, Math.round(times * known.get(id)!));
  for (const id of schedule.again ?? []) known.set(id, 2 * known.get(id)!);
  for (const [id, walks] of walksOf(graph, { members, outputs }, form, schedule, perRow))
    known.set(id, walks * known.get(id)!);
  return known;
}

/** Values known once per row: the reductions and what is computed from them alone. */
function valuesPerRow(graph: Graph, members: readonly NodeId[], form: RegionForm): Set<NodeId> {
  const perRow = new Set<NodeId>(form.reductions.map((reduction) => reduction.node));
  if (perRow.size === 0) return perRow;
  for (const id of members) {
    const n = node(graph, id);
    if (sizeOf(n.type.shape) <= form.rows && n.inputs.some((input) => perRow.has(input))) perRow.add(id);
  }
  return perRow;
}

/** Those of them that elements of the rows are computed from, and not only others of them. */
function readInWalks(graph: Graph, members: readonly NodeId[], perRow: ReadonlySet<NodeId>): Set<NodeId> {
  const walked = new Set<NodeId>();
  for (const id of members.toReversed())
    if (!perRow.has(id) || walked.has(id))
      for (const input of node(graph, id).inputs) if (perRow.has(input)) walked.add(input);
  return walked;
}

/**
 * Threads that each compute a value of a row from its folds: all that share the row, in each of its chunks.
 * @param walked whether elements of the row are computed from it; of chunks that a kernel only joins, the threads that join them
 */
function threadsARow({ fold, finish, chunks, matmul, variant }: RegionSchedule, walked: boolean): number {
  if (variant === "matmul-rows") return matmul!.n / matmul!.rn;
  if (variant !== "fold") return 1;
  return finish && !walked ? factorsOf(finish).lanes : factorsOf(fold!).lanes * chunks;
}

/** How often the tiles of a contraction load each element of operand 0 or 1. */
export function tileVisits(
  graph: Graph,
  contraction: NodeId,
  operand: number,
  schedule: Pick<RegionSchedule, "flash" | "thin" | "matmul" | "variant" | "sliding">,
): number {
  const { m, n } = matmulSizes(graph, contraction, batchAs(schedule.variant));
  // A band of rows keeps its left operand, and every band walks the right one.
  if (schedule.flash) return operand === 0 ? 1 : Math.ceil(m / schedule.flash.m);
  // Windows are staged once: an element for all that see it.
  if (schedule.sliding) return visitsOf(schedule.sliding)[operand]!;
  const { rows = 1, columns = 1 } = schedule.thin ?? {};
  const tile = schedule.matmul ?? { m: rows, n: columns };
  return operand === 0 ? Math.ceil(n / tile.n) : Math.ceil(m / tile.m);
}
