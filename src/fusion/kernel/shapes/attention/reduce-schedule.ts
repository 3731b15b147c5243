/** @file How a product is walked that is folded while it is made: tiles, chunks of the walk, and what they take. */
import { leftBy } from "../../nest/threads";
import { node, sizeOf, type Graph, type NodeId, type Region, type Target } from "../../../ir";
import { opDef } from "../../../ops";
import { leftVectors, matmulSizes, offeredTiles, THIN, tileBytes, tileThreads } from "../matmul/matmul";
import { aloneShare, slimTiles, tileShare } from "../matmul/matmul-factors";
import { stridedOutputs } from "../matmul/strided-outputs";
import { endsOf, type OnlineParts } from "./online-parts";
import { neighbours, type Pair, readsOf, strideProbe, touchedElements } from "../../count/reads";
import { membersBehind } from "../fold/rows/row-steps";
import type { MatmulTile, RegionRead, RegionSchedule, Variant } from "../../types";

export type Body = Pick<Region, "members" | "outputs">;
export type Planned = Partial<RegionSchedule> & { readonly variant: Variant };

/** Up to this k a thread writes the product out instead of a loop along k: its own rows are then loaded once for all of its turns. */
export const WRITTEN_OUT = 4;

/** Bands of rows that keep a large machine busy: below this, smaller bands, or chunks of them. */
export const ENOUGH_WORKGROUPS = 128;

export interface ReduceSizes {
  readonly batch: number;
  /** The axis that stays, the one that is folded, and the inner one of the contraction. */
  readonly outer: number;
  readonly folded: number;
  readonly k: number;
  /** The folded axis is the last one. */
  readonly alongColumns: boolean;
}

export function reduceSizes(graph: Graph, { scores, space, axis }: OnlineParts): ReduceSizes {
  const alongColumns = axis === space.length - 1;
  const [m, n] = [space.at(-2)!, space.at(-1)!];
  return {
    batch: sizeOf(space) / (m * n),
    outer: alongColumns ? m : n,
    folded: alongColumns ? n : m,
    k: matmulSizes(graph, scores[0]!).k,
    alongColumns,
  };
}

/** Tiles that a workgroup walks at least before the walk is shared out, and workgroups that it is shared out to. */
const LONG_WALK = 16;
const SHARED_WORKGROUPS = 4 * ENOUGH_WORKGROUPS;
/** The kernel that joins the chunks has a thread for each. */
export const MAX_CHUNKS = 256;

/** Elements of the rows are stored as well: then the workgroup that stores them has to know the whole of each row. */
const storesElements = ({ passing, again }: OnlineParts): boolean => passing.length + again.length > 0;

/** How often the product is made: once more where elements need complete rows, which a thread does not hold. */
const walksOf = ({ again }: OnlineParts, turns: number): number => (again.length > 0 && turns > 1 ? 2 : 1);

/** How a product is walked that is folded while it is made. */
interface ReducePlan {
  readonly tile: MatmulTile;
  readonly chunks: number;
  /** Tiles of each chunk. */
  readonly iterations: number;
  readonly workgroups: number;
}

/** Columns of a thread that it can fold: with sixteen, and their indices, accumulators are pushed out of its registers. Measured. */
const MAX_COLUMNS = 8;

/** Statements of one kernel above which a smaller tile is taken: every accumulator of a thread is folded by name. */
const MAX_STATEMENTS = 1900;

/** An upper bound of the statements that a tile takes. */
function statementsOf({ k, rm, rn }: MatmulTile, members: number, values: number): number {
  const vectors = rn / 4;
  const product = k * rm * vectors + (k * rm) / 4 + k * vectors + 4 * (rm + vectors);
  return product + rm * vectors * members + 8 * rm * values;
}

/** Null where one thread per row is better. */
function reducePlan(graph: Graph, parts: OnlineParts, members: number, target: Target): ReducePlan | null {
  const { batch, outer, folded, alongColumns } = reduceSizes(graph, parts);
  if (target.schedule === "cpu" || outer < THIN || folded < THIN) return null;
  const bytes = (tile: MatmulTile): number => {
    const long = walksOf(parts, Infinity) * statementsOf(tile, members, meetingValues(graph, parts)) > MAX_STATEMENTS;
    return long ? Infinity : reduceBytes(graph, parts, tile, alongColumns);
  };
  // A thread keeps a row, and hands its parts over in vectors.
  const keeps = ({ m, n, rn }: MatmulTile, threads: number): boolean =>
    !alongColumns || (threads >= m && (n / rn) % 4 === 0);
  const whole = storesElements(parts);
  // Rows that are not cut are shared out in thinner bands.
  const fits = (whole ? [...offeredTiles, ...slimTiles] : offeredTiles).filter((tile) => {
    const threads = tileThreads(tile);
    return (
      tile.rn <= MAX_COLUMNS &&
      keeps(tile, threads) &&
      threads <= target.maxWorkgroupSize &&
      bytes(tile) <= target.maxWorkgroupBytes
    );
  });
  const plans = fits.map((tile) => {
    const plan = walkOf(
      batch * Math.ceil(outer / (alongColumns ? tile.m : tile.n)),
      tile,
      folded / (alongColumns ? tile.n : tile.m),
      whole,
    );
    return {
      plan,
      share: shareOf(graph, parts, plan, target),
    };
  });
  const best = plans.reduce<(typeof plans)[number] | null>(
    (most, each) => (most && most.share >= each.share ? most : each),
    null,
  );
  return best?.plan ?? null;
}

/** Share of the peak that it reaches. */
function shareOf(
  graph: Graph,
  parts: OnlineParts,
  { tile, iterations, workgroups }: ReducePlan,
  target: Target,
): number {
  const { batch, outer, folded, k } = reduceSizes(graph, parts);
  const [walks, elements] = [walksOf(parts, iterations), batch * outer * folded];
  return tileShare(tile, workgroups, walks * k * iterations, walks * 2 * elements * k, target);
}

/**
 * A walk of so many tiles for each band of rows, cut into chunks where bands are too few to keep a machine busy.
 * @param whole a workgroup has to know the rows that it walks
 */
function walkOf(bands: number, tile: MatmulTile, tiles: number, whole: boolean): ReducePlan {
  const iterations = Math.ceil(tiles);
  if (whole || bands >= ENOUGH_WORKGROUPS || iterations < LONG_WALK)
    return { tile, chunks: 1, iterations, workgroups: bands };
  const share = Math.max(1, Math.round((bands * iterations) / SHARED_WORKGROUPS), Math.ceil(iterations / MAX_CHUNKS));
  const chunks = Math.ceil(iterations / share);
  return { tile, chunks, iterations: share, workgroups: bands * chunks };
}

/** Types of values in which the threads of a row meet, beside that of the product. */
export function meetingTypes(graph: Graph, { folds }: OnlineParts): number {
  const types = folds.flatMap(({ node: id }) => {
    const { op, inputs, attrs } = node(graph, id);
    const from = node(graph, inputs[0]!).type.dtype;
    const def = opDef(op);
    return [def.operandTypes?.([from], attrs)[0] ?? from, ...(def.reduce!.arg ? ["i32"] : [])];
  });
  return new Set(types.filter((type) => type !== "f32" && type !== "f16")).size;
}

/** Vectors in which the threads of a workgroup meet with one row (or four columns) of each. */
function cellsOfRow(graph: Graph, parts: OnlineParts, tile: MatmulTile, alongColumns: boolean): number {
  return alongColumns ? (meetingValues(graph, parts) * tileThreads(tile)) / 4 : tileThreads(tile);
}

/** Rows of one thread (or vectors of its columns) that meet at a time, as many as the tile of the left operand has room for. */
export function meetingRows(graph: Graph, parts: OnlineParts, tile: MatmulTile, alongColumns: boolean): number {
  const room = Math.floor(leftVectors(tile) / cellsOfRow(graph, parts, tile, alongColumns));
  const most = Math.max(1, Math.min(room, alongColumns ? tile.rm : tile.rn / 4));
  return 2 ** Math.floor(Math.log2(most));
}

/** Vectors in which they meet, all together. */
export const meetingCells = (graph: Graph, parts: OnlineParts, tile: MatmulTile, alongColumns: boolean): number =>
  cellsOfRow(graph, parts, tile, alongColumns) * meetingRows(graph, parts, tile, alongColumns);

/** Values of each row that threads hand over: its peak, its folds, and the index of an argmax. */
export const meetingValues = (graph: Graph, { peak, folds }: OnlineParts): number =>
  folds.reduce((sum, fold) => sum + leftBy(graph, fold.node), peak === null ? 0 : 1);

/** Workgroup memory: the operands' tiles, and where the threads meet what does not fit into the left one. */
function reduceBytes(graph: Graph, parts: OnlineParts, tile: MatmulTile, alongColumns: boolean): number {
  const meeting = meetingCells(graph, parts, tile, alongColumns);
  const beyond = Math.max(0, meeting - leftVectors(tile));
  return tileBytes(tile) + 16 * (beyond + meetingTypes(graph, parts) * meeting);
}

export function scheduleReduce(
  graph: Graph,
  parts: OnlineParts,
  { members, outputs }: Body,
  target: Target,
  live: number,
): Planned {
  const { batch, outer, folded, k, alongColumns } = reduceSizes(graph, parts);
  const plan = reducePlan(graph, parts, members.length, target);
  const folds = parts.folds.length + 1;
  const plain = readsOf(graph, members, outputs);
  if (!plan) {
    const rows = outer % 4 === 0 || !alongColumns ? 4 : 1;
    const walks = walksOf(parts, Math.ceil(folded / Math.min(4, folded)));
    return {
      variant: "reduce-thread",
      ...(walks === 1 ? { reads: plain } : walkedTwice(graph, parts, members, plain, k <= WRITTEN_OUT)),
      threadsPerWorkgroup: 64,
      workgroups: Math.ceil((batch * Math.ceil(outer / rows)) / 64),
      registers: live + 4 * folds + 8,
      reached: aloneShare(batch * Math.ceil(outer / rows), target),
      modelledBytes: walks * 4 * batch * k * folded * (Math.ceil(outer / rows) - 1),
    };
  }
  const { tile, chunks, iterations, workgroups } = plan;
  const walks = walksOf(parts, iterations);
  const [own, walked] = alongColumns ? [tile.m, tile.n] : [tile.n, tile.m];
  const bands = Math.ceil(outer / own);
  return {
    variant: "reduce-tile",
    stridedWrites: stridedOutputs(graph, { members, outputs }, false),
    matmul: tile,
    chunks,
    chunkLength: iterations * walked,
    dispatches: chunks > 1 ? 2 : 1,
    temporaryBytes: chunks > 1 ? 4 * batch * outer * chunks * meetingValues(graph, parts) : 0,
    temporaries: 1 + meetingTypes(graph, parts),
    reads: chunks > 1 ? readTwice(graph, endsOf(parts), { members, outputs }, plain) : plain,
    ...(walks === 2 && walkedTwice(graph, parts, members, plain, k <= tile.k)),
    threadsPerWorkgroup: tileThreads(tile),
    workgroups,
    workgroupBytes: reduceBytes(graph, parts, tile, alongColumns),
    registers: live + tile.rm + tile.rn + folds,
    reached: shareOf(graph, parts, plan, target),
    modelledBytes: walks * 4 * batch * k * (outer * (Math.ceil(folded / walked) - 1) + folded * (bands - 1)),
  };
}

/**
 * What a workgroup evaluates and reads again when it walks its rows a second time, now that it knows them.
 * @param held all of k of its own rows is loaded at once, before both walks
 */
function walkedTwice(
  graph: Graph,
  parts: OnlineParts,
  members: readonly NodeId[],
  reads: readonly RegionRead[],
  held: boolean,
): Pick<RegionSchedule, "again" | "reads"> {
  const [ends, made] = [endsOf(parts), [...endsOf(parts), ...parts.passing]];
  const first = new Set(membersBehind(graph, members, made, []));
  const second = membersBehind(graph, members, parts.again, ends);
  const twice = readTwice(graph, ends, { members, outputs: parts.again }, reads, made);
  const fixed = fixedAlong(graph, parts, second, held);
  return {
    again: second.filter((id) => first.has(id)),
    reads: twice.map((read) => (fixed.has(read.value) ? { ...read, rereads: 0 } : read)),
  };
}

/** Values that are the same along the axis that is walked: loaded once, before. */
function fixedAlong(
  graph: Graph,
  { scores, again, space, axis }: OnlineParts,
  members: readonly NodeId[],
  held: boolean,
): Set<NodeId> {
  const operands = node(graph, scores[0]!).inputs;
  const own = axis === space.length - 1 ? 0 : 1;
  /** What is asked of a value from one turn to the next; along an axis of one element, and none, that is the same. */
  const asked = (id: NodeId, fromLast: number | null): { id: NodeId; pair: Pair } => {
    const { shape } = node(graph, id).type;
    const zero = shape.map(() => 0);
    return { id, pair: (fromLast === null ? null : neighbours(shape, shape.length - fromLast)) ?? [zero, zero] };
  };
  // The own operand's inner axis is the last one of the left, the one before of the right; of the other operand, the outer one is walked.
  const strides = strideProbe(graph, members, [
    ...again.map((id) => asked(id, space.length - axis)),
    asked(operands[1 - own]!, own === 0 ? 1 : 2),
    asked(operands[own]!, held ? null : 1 + own),
  ]);
  return new Set([...strides].flatMap(([id, steps]) => ([...steps].every((step) => step === 0) ? [id] : [])));
}

/**
 * Reads of a region that is walked once to make `ends`, or parts of them, and once more with them: what both walks read counts twice.
 * @param outputs what the second walk makes
 * @param made what the first one does
 */
export function readTwice(
  graph: Graph,
  ends: readonly NodeId[],
  { members, outputs }: Body,
  reads: readonly RegionRead[],
  made = ends,
): RegionRead[] {
  const after = touchedElements(graph, membersBehind(graph, members, outputs, ends), outputs);
  const before = touchedElements(graph, membersBehind(graph, members, made, []), made);
  return reads.map((read) => ({ ...read, rereads: before.has(read.value) && after.has(read.value) ? 1 : 0 }));
}
