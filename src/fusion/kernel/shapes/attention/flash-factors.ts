/**
 * @file The factors of attention: rows and columns of a tile, and the chunks of keys that workgroups of their own walk where bands of
 * rows are too few for a machine. A second kernel then joins the chunks. Shapes alone decide, and each choice is priced.
 */
import { sizeOf, type Graph, type Target } from "../../../ir";
import { bandShare, isNarrow, longestWalk, type Band } from "../../indices/bands";
import { matmulSizes } from "../matmul/matmul";
import type { OnlineParts } from "./online-parts";
import { ENOUGH_WORKGROUPS, MAX_CHUNKS } from "./reduce-schedule";
import {
  LOAD,
  machinesOf,
  BYTES,
  PEAK,
  residents,
  START,
  STEP,
  SURE,
  WORKGROUP_BYTES,
  wavesMicros,
  type Machines,
} from "../../nest/waves";
import type { FlashTile } from "../../types";

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

/** For a dozen: two rows to a thread use each load twice. */
const SOME_ROWS: readonly FlashTile[] = [
  tileOf(16, 64, 2, true),
  tileOf(16, 32, 2, true),
  tileOf(16, 32, 2),
  tileOf(16, 16, 1),
];

/** For a person to choose: twice the rows to a thread use each load twice as often, and take twice the registers. */
const EIGHT_ROWS: readonly FlashTile[] = [tileOf(128, 32, 8), tileOf(64, 32, 8)];

/** `64x32/4`: rows, columns, rows per thread; `q` where queries wait in workgroup memory. */
export const flashTileName = ({ m, n, rm, queries }: FlashTile): string => `${m}x${n}/${rm}${queries ? "q" : ""}`;

/** Every tile of the tables above, once. */
export const offeredFlashTiles: readonly FlashTile[] = [
  ...new Map(
    [...FLASH_TILES.flatMap(({ tiles }) => tiles), ...COMPUTED_QUERIES, ...FEW_ROWS, ...SOME_ROWS, ...EIGHT_ROWS].map(
      (tile) => [flashTileName(tile), tile],
    ),
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
function tilesFor({ m, heads, width }: FlashSizes, diagonal: boolean, computesQueries: boolean): readonly FlashTile[] {
  if (m <= 8) return FEW_ROWS;
  if (m <= 16) return SOME_ROWS;
  if (computesQueries) return COMPUTED_QUERIES;
  const byWidth = FLASH_TILES.find((row) => Math.max(...heads, width) <= row.width) ?? FLASH_TILES.at(-1)!;
  if (!diagonal) return byWidth.tiles;
  return byWidth.width <= 64 ? DIAGONAL : WIDE_DIAGONAL;
}

/** Registers of addresses, peaks and sums beside the vectors of a thread. */
const PLAIN_REGISTERS = 30;
/** Multiply-adds that a load from workgroup memory holds up, and what crowded registers add: fitted to measured sweeps. */
const CROWDED = 80;

/** Registers of a thread: results, scores, and what is on its way from memory. */
const flashRegisters = ({ m, n, rm }: FlashTile, { heads, width }: FlashSizes): number =>
  PLAIN_REGISTERS + 4 * (rm * Math.ceil(width / n) + rm + (rm * (sum(heads.map(fours)) + fours(width))) / m);

/**
 * Share of its time that the inner loop multiplies: every vector of keys or values that is loaded serves the rows of one thread, and
 * the more registers a thread holds, the less hides the loads.
 */
export function flashEfficiency(tile: FlashTile, sizes: FlashSizes): number {
  const { n, rm } = tile;
  const both = sum(sizes.heads.map(fours)) + fours(sizes.width);
  const loads = (both + (rm * n) / 4) / (rm * both);
  return 1 / (1 + loads * (1 + flashRegisters(tile, sizes) / CROWDED));
}

/** What is to be folded between two products. */
export interface FlashShape {
  readonly sizes: FlashSizes;
  /** What a mask by position leaves. */
  readonly band: Band;
  /** The left operand of the scores is computed on the way in. */
  readonly computesQueries: boolean;
  /** Values of a row that a chunk leaves beside the products: its peak and its folds. */
  readonly left: number;
  /** There are bindings left for what chunks leave. */
  readonly mayCut: boolean;
  /** Vectors of them in workgroup memory: types of values besides that of the scores. */
  readonly types: number;
}

export interface FlashFactors {
  readonly tile: FlashTile;
  /** Chunks of keys, and how many tiles of keys each walks. */
  readonly chunks: number;
  readonly turns: number;
  readonly workgroups: number;
  /** Share of the scores that is computed, 0…1. */
  readonly seen: number;
  /** Bytes that the chunks leave for the kernel that joins them. */
  readonly partBytes: number;
  /** Predicted, without launches and without what comes from memory. */
  readonly micros: number;
  /** FLOP of the products that this takes, over the peak of all multiprocessors in that time, 0…1. */
  readonly reached: number;
}

/** Threads that keep the arithmetic units of a multiprocessor busy: each has several independent rows and columns. */
const BUSY_THREADS = 128;
/** Threads that a multiprocessor wants beside one another: those that find no workgroup memory leave loads unhidden. */
const THREADS_IN_FLIGHT = 1024;
/** Turns that pass before the first product and after the last. */
const START_AND_END = 1;

/** What a workgroup walks: tiles of keys on the average, and at most. */
interface Walk {
  readonly workgroups: number;
  readonly turns: number;
  readonly most: number;
}

/** µs of a walk. Where multiprocessors are not counted, nobody knows what is left over behind full waves: none is. */
function walkMicros(
  tile: FlashTile,
  shape: FlashShape,
  { workgroups, turns, most }: Walk,
  { counted, likely, speed }: Machines,
): number {
  const { sizes } = shape;
  const threads = flashThreads(tile);
  const bytes = flashBytes(tile, sizes, shape.types);
  const room = residents(threads, flashRegisters(tile, sizes), bytes);
  const inMemory = Math.min(1, WORKGROUP_BYTES / ((bytes * THREADS_IN_FLIGHT) / threads));
  const turn = 2 * tile.m * tile.n * (sum(sizes.heads) + sizes.width);
  const rate = PEAK * speed * flashEfficiency(tile, sizes) * inMemory;
  const wave = (beside: number, walked: number): number => {
    const steps = walked + START_AND_END;
    return steps * Math.max(2 * STEP, (beside * turn) / (rate * Math.min(1, (beside * threads) / BUSY_THREADS)));
  };
  const average =
    counted === null
      ? wave(Math.max(1, workgroups / likely), turns)
      : wavesMicros(workgroups, counted, room, (beside) => wave(beside, turns));
  return Math.max(average, wave(1, most));
}

/** To read a chunk's parts after another, and what that moves. */
function joinMicros(chunks: number, bytes: number, on: number): number {
  return chunks === 1 ? 0 : START + LOAD * Math.ceil(chunks / 4) + (2 * bytes) / (BYTES * on);
}

/** @param wanted tiles of keys in a chunk */
function factorsOf(shape: FlashShape, tile: FlashTile, wanted: number, machines: Machines): FlashFactors {
  const { sizes, band, left } = shape;
  const { batch, m, n, heads, width } = sizes;
  const all = Math.ceil(n / tile.n);
  const chunks = Math.ceil(all / wanted);
  const workgroups = batch * Math.ceil(m / tile.m) * chunks;
  const seen = bandShare(band, m, n, tile.m, tile.n);
  const partBytes = chunks === 1 ? 0 : 4 * chunks * batch * m * (width + left);
  const longest = Math.ceil(longestWalk(band, m, n, tile.m, tile.n) / tile.n);
  const walk = { workgroups, turns: wanted * seen, most: Math.min(wanted, longest) };
  const { likely, speed } = machines;
  const micros = START + walkMicros(tile, shape, walk, machines) + joinMicros(chunks, partBytes, likely);
  const flops = 2 * batch * m * n * (sum(heads) + width) * seen;
  const reached = Math.min(1, flops / (micros * PEAK * speed * likely));
  return { tile, chunks, turns: wanted, workgroups, seen, partBytes, micros, reached };
}

/** Turns of a chunk worth asking about: half of all, a third, a quarter, a sixth and so on. */
function turnsWorth(all: number): number[] {
  const counts = Array.from({ length: 8 }, (_, i) => [2 ** (i + 1), 3 * 2 ** i]).flat();
  const turns = counts.filter((count) => count <= Math.min(all, MAX_CHUNKS)).map((count) => Math.ceil(all / count));
  return [...new Set(turns)];
}

/**
 * The tile that suits the sizes best, and chunks of keys where another kernel that joins them is worth its launch: on a machine whose
 * multiprocessors are counted, since nobody else knows that rows leave some of them idle.
 * @param named a tile that somebody chose
 */
export function flashFactors(shape: FlashShape, target: Target, named?: FlashTile): FlashFactors {
  const { sizes, band, types } = shape;
  const machines = machinesOf(target);
  const isCut = isNarrow(band, sizes.m, sizes.n);
  const fits = (tile: FlashTile): boolean =>
    flashBytes(tile, sizes, types) <= target.maxWorkgroupBytes &&
    flashThreads(tile) <= target.maxWorkgroupSize &&
    tile.n < 2 * Math.max(16, sizes.n) &&
    tile.m < 2 * Math.max(32, sizes.m);
  const tiles = named ? [named] : tilesFor(sizes, isCut, shape.computesQueries);
  const fitting = tiles.filter(fits);
  const enough = fitting.find(({ m }) => m <= 32 || sizes.batch * Math.ceil(sizes.m / m) >= ENOUGH_WORKGROUPS);
  const whole = (tile: FlashTile): number => Math.ceil(sizes.n / tile.n);
  const plain = named ?? enough ?? tiles.at(-1)!;
  const one = factorsOf(shape, plain, whole(plain), machines);
  // A walk that begins at a row's own number has no first tile that all chunks know.
  if (band.low > -Infinity || !shape.mayCut || machines.counted === null) return one;
  const cut = (named ? [named] : fitting).flatMap((tile) =>
    turnsWorth(whole(tile)).map((turns) => factorsOf(shape, tile, turns, machines)),
  );
  const cost = ({ micros, chunks }: FlashFactors): number =>
    chunks === 1 ? micros : SURE * (micros + machines.launch);
  return cut.reduce((least, each) => (cost(each) < cost(least) ? each : least), one);
}
