/** @file Tiles for rows between two products that are folded while they are made, and what they take. */
import { bug, node, sizeOf, type Graph, type NodeId, type Target } from "../../ir";
import { opDef } from "../../ops";
import { matmulSizes } from "../matmul";
import { onlineParts } from "../attention/online";
import type { OnlineParts } from "../attention/online-parts";
import { readsOf } from "../reads";
import { ENOUGH_WORKGROUPS, meetingTypes, scheduleReduce, type Body, type Planned } from "./reduce-schedule";
import type { FlashTile, RegionForm } from "../types";

const tileOf = (m: number, n: number, rm: number, queries = false): FlashTile => ({ m, n, rm, queries });

/**
 * Flash tiles in order of preference for heads up to `width`, by measured sweeps: wide bands load keys and values least often, four
 * rows to a thread use each load most, and queries that are read again come from the cache without taking workgroup memory.
 */
const FLASH_TILES: readonly { readonly width: number; readonly tiles: readonly FlashTile[] }[] = [
  { width: 32, tiles: [tileOf(64, 16, 4), tileOf(32, 32, 2)] },
  { width: 64, tiles: [tileOf(128, 32, 4), tileOf(64, 32, 4), tileOf(64, 16, 2), tileOf(32, 32, 2)] },
  {
    width: 128,
    tiles: [
      tileOf(128, 32, 4),
      tileOf(128, 16, 4),
      tileOf(32, 32, 2),
      tileOf(64, 16, 4),
      tileOf(32, 16, 2),
      tileOf(32, 16, 1),
    ],
  },
];
/** Where a mask hides what lies beyond the diagonal: tiles close to square waste least on it. */
const DIAGONAL: readonly FlashTile[] = [tileOf(64, 32, 4), tileOf(32, 32, 2), tileOf(32, 16, 1)];
const WIDE_DIAGONAL: readonly FlashTile[] = [
  tileOf(128, 32, 4),
  tileOf(32, 32, 2),
  tileOf(32, 16, 2),
  tileOf(32, 16, 1),
];
/** Queries that are computed on the way in are computed once, for the band. */
const COMPUTED_QUERIES: readonly FlashTile[] = [
  tileOf(32, 32, 2, true),
  tileOf(32, 16, 1, true),
  tileOf(32, 32, 2),
  tileOf(32, 16, 1),
];
/** For a handful of rows: the same columns, fewer rows. */
const FEW_ROWS: readonly FlashTile[] = [
  tileOf(8, 64, 1, true),
  tileOf(8, 32, 1, true),
  tileOf(8, 32, 1),
  tileOf(8, 16, 1),
];

/** For a person to choose: twice the rows to a thread use each load twice as often, and take twice the registers. */
const EIGHT_ROWS: readonly FlashTile[] = [tileOf(128, 32, 8), tileOf(64, 32, 8)];

/** `64x32/4`: rows, columns, rows per thread; `q` where queries wait in workgroup memory. */
export const flashTileName = ({ m, n, rm, queries }: FlashTile): string => `${m}x${n}/${rm}${queries ? "q" : ""}`;

/** Every tile of the tables above, once. */
export const offeredFlashTiles: readonly FlashTile[] = [
  ...new Map(
    [...FLASH_TILES.flatMap(({ tiles }) => tiles), ...COMPUTED_QUERIES, ...FEW_ROWS, ...EIGHT_ROWS].map((tile) => [
      flashTileName(tile),
      tile,
    ]),
  ).values(),
];

export interface FlashSizes {
  readonly batch: number;
  /** Rows, columns of the scores. */
  readonly m: number;
  readonly n: number;
  /** Inner size of each contraction that makes the rows (none: they are read), width of the one over them. */
  readonly heads: readonly number[];
  readonly width: number;
}

export function flashSizes(graph: Graph, { scores, values, space }: OnlineParts): FlashSizes {
  const [m, n] = [space.at(-2)!, space.at(-1)!];
  return {
    batch: sizeOf(space) / (m * n),
    m,
    n,
    heads: scores.map((id) => matmulSizes(graph, id).k),
    width: matmulSizes(graph, values!).n,
  };
}

const fours = (size: number): number => 4 * Math.ceil(size / 4);
const sum = (sizes: readonly number[]): number => sizes.reduce((a, b) => a + b, 0);

/** Threads side by side: each takes four columns. */
export const flashAcross = (tile: FlashTile): number => tile.n / 4;
export const flashThreads = (tile: FlashTile): number => flashAcross(tile) * (tile.m / tile.rm);

/** Workgroup memory: queries, one tile that keys and then values pass through, weights, and the rows' partial maxima. */
export function flashBytes(tile: FlashTile, { heads, width }: FlashSizes, types = 0): number {
  const queries = tile.queries ? sum(heads.map((head) => tile.m * (fours(head) + 4))) : 0;
  const passing = Math.max(...heads.map((head) => fours(head) * (tile.n + 4)), tile.n * fours(width));
  return 4 * (queries + passing + tile.m * (tile.n + 4) + (1 + types) * tile.m * flashAcross(tile));
}

/** Tiles worth trying, the best first. */
function candidates(
  { m, heads, width }: FlashSizes,
  diagonal: boolean,
  computesQueries: boolean,
): readonly FlashTile[] {
  if (m <= 8) return FEW_ROWS;
  if (computesQueries) return COMPUTED_QUERIES;
  const byWidth = FLASH_TILES.find((row) => Math.max(...heads, width) <= row.width) ?? FLASH_TILES.at(-1)!;
  if (!diagonal) return byWidth.tiles;
  return byWidth.width <= 64 ? DIAGONAL : WIDE_DIAGONAL;
}

/** The first tile that fits; the last one where none does. */
export function flashTile(sizes: FlashSizes, target: Target, diagonal: boolean, computesQueries: boolean): FlashTile {
  const tiles = candidates(sizes, diagonal, computesQueries);
  const fits = (tile: FlashTile): boolean =>
    flashBytes(tile, sizes) <= target.maxWorkgroupBytes &&
    flashThreads(tile) <= target.maxWorkgroupSize &&
    tile.n < 2 * Math.max(16, sizes.n) &&
    tile.m < 2 * Math.max(32, sizes.m) &&
    (tile.m <= 32 || sizes.batch * Math.ceil(sizes.m / tile.m) >= ENOUGH_WORKGROUPS);
  return tiles.find(fits) ?? tiles.at(-1)!;
}

/** Registers of addresses, peaks and sums beside the vectors of a thread. */
const PLAIN_REGISTERS = 30;
/** Multiply-adds that a load from workgroup memory holds up, and what crowded registers add: fitted to measured sweeps. */
const CROWDED = 80;

/**
 * Share of its time that the inner loop multiplies: every vector of keys or values that is loaded serves the rows of one thread, and
 * the more registers a thread holds (results, scores, and what is on its way from memory), the less hides the loads.
 */
export function flashEfficiency({ m, n, rm }: FlashTile, { heads, width }: FlashSizes): number {
  const both = sum(heads.map(fours)) + fours(width);
  const loads = (both + (rm * n) / 4) / (rm * both);
  const registers = PLAIN_REGISTERS + 4 * (rm * Math.ceil(width / n) + rm + (rm * both) / m);
  return 1 / (1 + loads * (1 + registers / CROWDED));
}

/** Share of the tiles that reach the diagonal: rows `i` see columns up to `i + diagonal`. */
function shareSeen({ m, n }: FlashSizes, tile: FlashTile, { diagonal, fromOwn }: OnlineParts): number {
  if (diagonal === null && !fromOwn) return 1;
  const [bands, turns] = [Math.ceil(m / tile.m), Math.ceil(n / tile.n)];
  let seen = 0;
  for (let band = 0; band < bands; band++) {
    const end = (band + 1) * tile.m + (diagonal ?? 0);
    seen += fromOwn
      ? turns - Math.floor((band * tile.m) / tile.n)
      : Math.min(turns, Math.max(0, Math.ceil(end / tile.n)));
  }
  return seen / (bands * turns);
}

/** Rows per thread where one thread walks whole rows: each key and value that is read serves four. */
export const rowsPerThread = ({ m }: FlashSizes): number => Math.min(4, m);

/**
 * The schedule of a form of `classifyOnline`.
 * @param live most values alive at once
 * @param chosen the name of a tile
 */
export function scheduleOnline(
  graph: Graph,
  { members, outputs }: Body,
  form: RegionForm,
  target: Target,
  live: number,
  chosen: string | undefined,
): Planned {
  const answer = onlineParts(graph, members, outputs);
  if (!answer.ok) throw bug(`a ${form.template} region without its parts: ${answer.verdict.text}`);
  if (form.template !== "flash") return scheduleReduce(graph, answer.parts, { members, outputs }, target, live);
  const reads = readsOf(graph, members, outputs);
  return { ...scheduleFlash(graph, answer.parts, members, target, live, chosen), reads };
}

/** Is the first product's left operand computed here, rather than only read in some order? */
function computesQueries(graph: Graph, { scores }: OnlineParts, members: readonly NodeId[]): boolean {
  return scores.some((id) => {
    let n = node(graph, node(graph, id).inputs[0]!);
    while (members.includes(n.id) && opDef(n.op).kind === "movement") n = node(graph, n.inputs[0]!);
    return members.includes(n.id);
  });
}

function scheduleFlash(
  graph: Graph,
  parts: OnlineParts,
  members: readonly NodeId[],
  target: Target,
  live: number,
  chosen: string | undefined,
): Planned {
  const sizes = flashSizes(graph, parts);
  const { batch, m, n, heads, width } = sizes;
  const head = sum(heads);
  const folds = parts.folds.length + 1;
  if (target.schedule === "cpu") {
    const rows = rowsPerThread(sizes);
    return {
      variant: "flash-thread",
      flash: { m: rows, n: 4, rm: rows, queries: false },
      threadsPerWorkgroup: 64,
      workgroups: Math.ceil((batch * Math.ceil(m / rows)) / 64),
      registers: live + rows * (8 + 4 * folds),
      modelledBytes: 4 * batch * n * (head + width) * (Math.ceil(m / rows) - 1),
    };
  }
  const named = offeredFlashTiles.find((each) => flashTileName(each) === chosen);
  const tile =
    named ?? flashTile(sizes, target, parts.diagonal !== null || parts.fromOwn, computesQueries(graph, parts, members));
  const bands = Math.ceil(m / tile.m);
  const columns = Math.ceil(fours(width) / 4 / flashAcross(tile));
  const again = tile.queries ? 0 : m * head * (Math.ceil(n / tile.n) - 1);
  return {
    variant: "flash-tile",
    flash: tile,
    efficiency: flashEfficiency(tile, sizes),
    computedShare: shareSeen(sizes, tile, parts),
    threadsPerWorkgroup: flashThreads(tile),
    workgroups: batch * bands,
    workgroupBytes: flashBytes(tile, sizes, meetingTypes(graph, parts)),
    registers: live + tile.rm * (1 + columns + folds) + 4,
    modelledBytes: 4 * batch * (n * (head + width) * (bands - 1) + again),
  };
}
