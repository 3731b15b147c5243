/**
 * @file The factors of a product: how m, n and k are split among workgroups, threads and registers, and into how many chunks of k. All
 * candidates are priced and the cheapest is taken. Times were fitted to sweeps of tiles over products of three layouts
 * (bench/schedules.ts); shapes alone decide, never a program.
 */
import type { Target } from "../../../ir";
import {
  isEven,
  LONG_K,
  offeredTiles,
  slicedTiles,
  slicesOf,
  THIN,
  tileBytes,
  tileThreads,
  type MatmulSizes,
} from "./matmul";
import { CACHE_USED, CACHED_SPEEDUP } from "../../nest/cache";
import { STARTS, WARP } from "../../nest/price";
import { threadsWithin } from "../../nest/threads";
import {
  BYTES,
  LOAD,
  machinesOf,
  meanMicros,
  PEAK,
  residents,
  START,
  SURE,
  THREADS,
  type Machines,
} from "../../nest/waves";
import type { MatmulTile, ProductBand, ThinFactors } from "../../types";
import { longestOf, shareOf } from "./banded";
import { MANY, residencyOf, tileMicros } from "./tile-times";

/** What is to be multiplied: `count` products of one left operand, each of these sizes. */
export interface ProductShape {
  readonly sizes: MatmulSizes;
  readonly count: number;
  /** The left operand lies contiguously along k; otherwise along m. */
  readonly leftAlongK: boolean;
  /** The right operands lie contiguously along k; otherwise along n. */
  readonly rightAlongK: boolean;
  /** Lines of memory that a warp asks for to load a vector of each thread, where an operand lies in no order: 0 where it does. */
  readonly lines?: { readonly [side in "left" | "right"]: { readonly tiled: number; readonly vectors: number } };
  /** Bytes of one element of an operand. */
  readonly bytes: number;
  /** What a mask leaves of it. Absent: all. */
  readonly band?: Omit<ProductBand, "rows">;
  /** Then: bytes that are loaded behind the product, or computed with on the way into it. */
  readonly beside?: number;
  /** µs of a kernel for it alone, without tiles. Absent: there is none but a thread for every few outputs. */
  readonly direct?: number;
}

export interface ProductFactors {
  /** A tile of outputs a workgroup, or `thin`: threads along k for few outputs. */
  readonly tile: MatmulTile | null;
  readonly thin: ThinFactors | null;
  /** Parts of k that are multiplied apart and then joined by a second kernel, and how long each is. */
  readonly chunks: number;
  readonly chunkLength: number;
  readonly workgroups: number;
  /** Predicted, without launches. */
  readonly micros: number;
  /** FLOP of the products that this takes, over the peak of all multiprocessors in that time, 0…1. */
  readonly reached: number;
  /** Share of the multiply-adds that it does, 0…1. */
  readonly share: number;
}

/**
 * Share of the peak that threads without workgroup memory reach, and how many of them a multiprocessor wants for that; the share of those
 * that multiply vectors of one operand by one value of the other, which their neighbours load too (depthwise convolutions, measured).
 */
const ALONE = 0.1;
const ALONE_BY_VECTORS = 0.5;
const BUSY_ALONE = 256;

/**
 * What is loaded beside the multiplications that a mask leaves takes so many times as long as in a copy, where so many threads run on a
 * multiprocessor, less what the multiplications hide of it. Measured with five tiles on both passes of causal attention.
 */
const [EXPOSED_THREADS, EXPOSED_HIDDEN] = [1500, 1.2];
/** Bytes that memory hands over at a time. */
const SECTOR = 32;

/** How much quicker a product in two kernels must look than in one where multiprocessors were counted: both predictions err alike. */
const COUNTED_SURE = 1.1;

/** µs: to issue a load, to halve the threads that hold a sum when they meet in a tree. */
const ISSUE = 0.03;
const HALVING = 0.075;
/**
 * µs that a multiprocessor takes for a strip: to load four of k of its columns in each slice, where these lie side by side or along k, to
 * load and multiply a row with them, and to join the slices of a row.
 */
const SIDE_BY_SIDE = 0.23;
const SCATTERED = 0.65;
const ROW = 0.0375;
const JOINED = 0.068;

/** Chunks worth asking about: powers of two, as long as each walks several steps. */
const chunkCounts = (k: number, least: number): number[] => {
  const counts = [1];
  for (let chunks = 2; chunks * least <= k && chunks <= 1024; chunks *= 2) counts.push(chunks);
  return counts;
};

/** To write the parts and to read them back, from the cache if that holds them, in a kernel of their own, without its launch. */
function joinMicros(
  { sizes, count }: ProductShape,
  chunks: number,
  multiprocessors: number,
  { l2Bytes }: Machines,
): number {
  if (chunks === 1) return 0;
  const parts = 4 * sizes.batch * sizes.m * sizes.n * count * chunks;
  const turns = Math.ceil(chunks / 32);
  const again = parts <= CACHE_USED * l2Bytes ? 1 / CACHED_SPEEDUP : 1;
  return LOAD * turns + ((1 + again) * parts) / (BYTES * multiprocessors);
}

function operandBytes({ sizes: { batch, m, n, k }, count, bytes }: ProductShape): number {
  return bytes * batch * (m * k + count * k * n) + 4 * batch * m * n * count;
}

/** Of two times that overlap the shorter one is not hidden wholly. */
const overlapping = (a: number, b: number): number => Math.max(a, b) + 0.1 * Math.min(a, b);

type Candidate = Omit<ProductFactors, "reached">;

/** Threads that share nothing are priced roughly: they must look so much quicker. */
export const CLEARLY = 1.5;

/** Share of a machine's peak that `workgroups` of this tile reach, each of which walks `length` of k, where the product is `flops`. */
export function tileShare(tile: MatmulTile, workgroups: number, length: number, flops: number, target: Target): number {
  const machines = machinesOf(target);
  const micros = START + meanMicros(machines, (each) => tileMicros(tile, workgroups, length, each));
  return Math.min(1, flops / (micros * PEAK * machines.about));
}

/**
 * Share of a machine's peak that `threads` reach which share nothing: every multiply-add waits for its operands.
 * @param byVectors there is one row, and neighbours of the right operand are loaded at once
 */
export function aloneShare(threads: number, target: Target, byVectors = false): number {
  const { about } = machinesOf(target);
  return (byVectors ? ALONE_BY_VECTORS : ALONE) * Math.min(1, threads / (about * BUSY_ALONE));
}

/** Lines of memory that a multiprocessor asks its cache for in a µs; how much of the shorter of asking and multiplying is added to the other. */
const [LINES, LINES_LOST] = [1500, 0.5];

/** Lines asked for to load so many rows and columns at one of k. */
const linesAsked = ({ lines }: ProductShape, as: "tiled" | "vectors", rows: number, columns: number): number =>
  lines === undefined ? 0 : (rows * lines.left[as] + columns * lines.right[as]) / (4 * WARP);

const besideLines = (multiplying: number, asking: number): number =>
  Math.max(multiplying, asking) + LINES_LOST * Math.min(multiplying, asking);

function tiled(shape: ProductShape, tile: MatmulTile, chunks: number, machines: Machines): Candidate {
  const { batch, m, n, k } = shape.sizes;
  const chunkLength = tile.k * Math.ceil(k / chunks / tile.k);
  const parts = Math.ceil(k / chunkLength);
  const own = tile.n / shape.count;
  const workgroups = batch * Math.ceil(m / tile.m) * Math.ceil(n / own) * parts;
  const bytes = operandBytes(shape);
  const { band } = shape;
  const share = band && parts === 1 ? shareOf(band, shape.sizes, tile) : 1;
  const micros = meanMicros(machines, (multiprocessors) => {
    const moving = bytes / (BYTES * multiprocessors);
    const walked = band?.side === "result" ? [Math.ceil(workgroups * share), k] : [workgroups, chunkLength * share];
    const average = tileMicros(tile, walked[0]!, walked[1]!, multiprocessors);
    // Where all run at once, those that begin with the longest walk end with as much more than the average one.
    const longest = share < 1 && band?.side !== "result" ? longestOf(band!, shape.sizes, tile) : chunkLength;
    const atOnce = workgroups <= multiprocessors * residencyOf(tile).most;
    const uneven = atOnce ? 1 + (longest / walked[1]! - 1) / Math.max(1, workgroups / multiprocessors) : 1;
    // And it takes no less than alone.
    const alone = (): number => tileMicros(tile, 1, longest, multiprocessors);
    const atWork = residencyOf(tile).most * tileThreads(tile);
    const exposed =
      Math.max(0, EXPOSED_THREADS / atWork - EXPOSED_HIDDEN) * ((shape.beside ?? 0) / (BYTES * multiprocessors));
    const multiplying = share < 1 ? Math.max(average * uneven, alone()) + exposed : average;
    const asking = (workgroups * chunkLength * linesAsked(shape, "tiled", tile.m, tile.n)) / (LINES * multiprocessors);
    return (
      overlapping(moving, START + besideLines(multiplying, asking)) +
      joinMicros(shape, parts, multiprocessors, machines)
    );
  });
  return { tile, thin: null, chunks: parts, chunkLength: parts === 1 ? k : chunkLength, workgroups, micros, share };
}

/** Registers of a thread that shares k: a vector of each sum, those on their way, addresses. */
const thinRegisters = ({ rows, columns, along }: ThinFactors, { count }: ProductShape): number =>
  24 + 4 * (along === "k" ? rows * columns * count + rows + columns * count : rows * count + rows + count);

/** Threads that share k, `rows`×`columns` outputs of each product at once; or threads beside one another along n, in slices of k. */
function thinned(shape: ProductShape, thin: ThinFactors, chunks: number, machines: Machines): Candidate {
  const { batch, m, n, k } = shape.sizes;
  const { threads, rows, columns, along } = thin;
  const step = along === "k" ? 4 * threads : (4 * threads) / (columns / 4);
  const chunkLength = step * Math.ceil(k / chunks / step);
  const parts = Math.max(1, Math.ceil(k / chunkLength));
  const workgroups = batch * Math.ceil(m / rows) * Math.ceil(n / columns) * parts;
  const turns = Math.ceil(Math.min(k, chunkLength) / step);
  // Neighbours in k of an operand that lies across it are loads of their own.
  const [leftLoads, rightLoads] = [shape.leftAlongK ? rows : 4 * rows, shape.rightAlongK ? columns : 4 * columns];
  const loads = along === "k" ? leftLoads + rightLoads * shape.count : 4 * shape.count;
  const strips = along === "k" ? 0 : rows * shape.count;
  const columnsLoad = (shape.rightAlongK ? SCATTERED : SIDE_BY_SIDE) * shape.count;
  const stripMicros = along === "k" ? 0 : columnsLoad + ROW * strips;
  const joins = along === "k" ? rows * columns * shape.count : 1;
  const joining = HALVING * Math.log2(threads) * Math.max(1, joins / 4);
  const fits = residents(threads, thinRegisters(thin, shape), 0);
  const beside = Math.max(1, Math.min(fits, Math.floor(THREADS / threads / 2)));
  const walked = workgroups * Math.min(k, chunkLength);
  const across = columns * shape.count;
  // Of an operand that lies across k and is not taken whole, neighbours in k come from a sector of memory each.
  const leftApart = along === "k" && !shape.leftAlongK && rows < m ? rows : 0;
  const rightApart = along === "k" && !shape.rightAlongK && columns < n ? across : 0;
  const apart = leftApart + rightApart;
  const moved = Math.max(operandBytes(shape), (shape.bytes * walked * (rows + across)) / 2, SECTOR * walked * apart);
  const micros = meanMicros(machines, (multiprocessors) => {
    const slots = multiprocessors * beside;
    const waves = workgroups <= 4 * slots ? Math.ceil(workgroups / slots) : workgroups / slots;
    const together = Math.min(beside, Math.ceil(workgroups / multiprocessors));
    const turn = Math.max(LOAD + ISSUE * loads, together * stripMicros);
    const alone = START + turns * turn + Math.max(joining, together * JOINED * strips);
    const asking = (walked * linesAsked(shape, "vectors", rows, across)) / (LINES * multiprocessors);
    const walking = waves * alone + (STARTS * workgroups) / multiprocessors;
    return (
      overlapping(moved / (BYTES * multiprocessors), besideLines(walking, asking)) +
      joinMicros(shape, parts, multiprocessors, machines)
    );
  });
  return { tile: null, thin, chunks: parts, chunkLength: parts === 1 ? k : chunkLength, workgroups, micros, share: 1 };
}

/** Outputs of a workgroup whose threads walk along k: each takes a vector of registers and a row of workgroup memory. */
const MAX_DOTS = 16;

/** Vector columns of a workgroup whose threads stand side by side: 128 bytes of each row of the right operand. */
export const ACROSS = 8;

/** Rows of `count` products whose slices of k are joined after one barrier: those that workgroup memory has room for, a slice each. */
export function rowsJoined({ rows, threads }: ThinFactors, count: number, { maxWorkgroupBytes }: Target): number {
  return Math.max(1, Math.min(rows, threads / ACROSS, Math.floor(maxWorkgroupBytes / (16 * threads * count))));
}

/** Above so many outputs, tiles fill the machine: blocks of sixteen outputs a workgroup are never faster. */
const MANY_OUTPUTS = 65_536;

/** Above so many outputs, tiles fill the machine: strips of 32 columns are never faster. */
const MANY_BESIDE = 262_144;

/** May threads share k? Only where outputs are few, or a side is shorter than any tile. */
export const mayShareK = ({ batch, m, n, k }: MatmulSizes): boolean =>
  k >= LONG_K && m * n > 0 && (Math.min(m, n) < THIN || batch * m * n <= MANY_OUTPUTS);

/** Blocks of outputs for one workgroup: all of a short side, or squares where no side is short. */
function blocksOf({ m, n }: MatmulSizes): [rows: number, columns: number][] {
  const shares = [4, 2, 1];
  if (m < THIN || (n < THIN && m <= n)) return shares.map((share) => [m, Math.min(share, n)]);
  if (n < THIN) return shares.map((share) => [Math.min(share, m), n]);
  return shares.map((share) => [share, share]);
}

function thinOffers({ sizes, count, rightAlongK }: ProductShape, target: Target): ThinFactors[] {
  const { batch, m, n, k } = sizes;
  if (k < LONG_K) return [];
  const side = { along: "n", threads: threadsWithin(target, 2 * 16 * count), columns: 4 * ACROSS } as const;
  if (m < THIN && n > 1 && !rightAlongK) return m * count > MAX_DOTS ? [] : [{ ...side, rows: m }];
  const beside = m >= THIN && n >= THIN && batch * m * n <= MANY_BESIDE ? [MAX_DOTS, MAX_DOTS / 2] : [];
  const strips = beside.filter((rows) => rows * count <= MAX_DOTS).map((rows) => ({ ...side, rows }));
  if (!mayShareK(sizes)) return strips;
  const units = k % 4 === 0 ? k / 4 : k;
  const blocks = blocksOf(sizes);
  const dots = blocks.flatMap(([rows, columns], at): ThinFactors[] => {
    if (rows * columns * count > MAX_DOTS && at < blocks.length - 1) return [];
    const most = threadsWithin(target, 4 * rows * columns * count);
    return [{ along: "k", threads: Math.min(most, 2 ** Math.ceil(Math.log2(units))), rows, columns }];
  });
  return [...strips, ...dots];
}

/** One column of a left operand that lies along m is a row of its transpose: threads stand side by side along m. */
function columnOffers(shape: ProductShape, target: Target, machines: Machines): Candidate[] {
  const { sizes, count, leftAlongK } = shape;
  if (sizes.n !== 1 || sizes.m === 1 || count > 1 || leftAlongK) return [];
  const row = { ...shape, sizes: { ...sizes, m: 1, n: sizes.m }, leftAlongK: true, rightAlongK: false };
  return thinOffers(row, target).flatMap((thin) =>
    chunkCounts(sizes.k, 1024).map((chunks): Candidate => {
      const { rows, columns } = thin;
      return { ...thinned(row, thin, chunks, machines), thin: { ...thin, along: "m", rows: columns, columns: rows } };
    }),
  );
}

/** Tiles of `count` products: each has as many columns of it, whole vectors a thread. */
export const jointTiles: readonly (readonly MatmulTile[])[] = [1, 1, 2, 3, 4].map((count) =>
  count === 1 ? offeredTiles : offeredTiles.flatMap((tile) => widened(tile, count)),
);

/**
 * The tile itself where its columns can be shared out, and tiles with room for a vector of every product in each thread. Threads bring in
 * the same number of vectors of each product.
 */
function widened(tile: MatmulTile, count: number): MatmulTile[] {
  const shared = (each: MatmulTile): boolean =>
    (each.n / count) % 4 === 0 &&
    (each.rn / 4) % count === 0 &&
    isEven(each) &&
    ((each.k * each.n) / 4 / count) % tileThreads(each) === 0;
  const across = tile.n / tile.rn;
  const wide = [tile.rn * count, 4 * count]
    .filter((rn) => rn !== tile.rn && tile.rm * rn <= MANY)
    .map((rn) => ({ ...tile, rn, n: across * rn }));
  return [tile, ...wide].filter(shared);
}

/** Tiles for few outputs, with long steps of k: a step waits for its loads once. */
const deepTiles: readonly MatmulTile[] = [
  { m: 32, n: 32, k: 32, rm: 4, rn: 4 },
  { m: 32, n: 32, k: 64, rm: 4, rn: 4 },
  { m: 64, n: 64, k: 32, rm: 4, rn: 4 },
];

/** Tiles for a side of a few rows or columns and a long other one: their loads lie along the operand, whichever way that is stored. */
export const slimTiles: readonly MatmulTile[] = [
  { m: 64, n: 16, k: 32, rm: 4, rn: 4 },
  { m: 128, n: 16, k: 16, rm: 8, rn: 4 },
  { m: 128, n: 8, k: 32, rm: 4, rn: 4 },
  { m: 16, n: 64, k: 32, rm: 4, rn: 4 },
  { m: 16, n: 128, k: 16, rm: 4, rn: 8 },
  { m: 8, n: 128, k: 32, rm: 4, rn: 4 },
];

const slim = ({ sizes: { m, n }, count }: ProductShape): readonly MatmulTile[] =>
  count > 1 ? [] : slimTiles.filter((tile) => (tile.m < tile.n ? m <= 2 * tile.m : n <= 2 * tile.n));

const known = new WeakMap<Target, Map<string, ProductFactors | null>>();

/** The cheapest factors, or null where a thread of its own for every few outputs is better: nothing fits, or the work is tiny. */
export function productFactors(
  shape: ProductShape,
  target: Target,
  named: MatmulTile | null = null,
): ProductFactors | null {
  const { sizes, count, leftAlongK, rightAlongK, bytes, band, beside, direct } = shape;
  const { batch, m, n, k } = sizes;
  const left = band ? [band.side, band.band.low, band.band.high].join(" ") : "";
  const key = [
    batch,
    m,
    n,
    k,
    count,
    Number(leftAlongK),
    Number(rightAlongK),
    bytes,
    beside,
    direct,
    JSON.stringify(shape.lines),
    JSON.stringify(named),
    left,
  ].join();
  const own = known.get(target) ?? new Map<string, ProductFactors | null>();
  known.set(target, own);
  const found = own.get(key);
  if (found !== undefined) return found;
  const made = searched(shape, target, named);
  own.set(key, made);
  return made;
}

/** All ways to compute a product on this machine, or, where a tile is named, those with it. */
export function productOffers(shape: ProductShape, target: Target, named: MatmulTile | null = null): Candidate[] {
  const { m, n, k } = shape.sizes;
  const machines = machinesOf(target);
  const narrow = Math.min(m, n) < THIN ? [] : jointTiles[shape.count]!;
  const deep = narrow.length > 0 && shape.count === 1 && mayShareK(shape.sizes) ? deepTiles : [];
  const sliced = narrow.length > 0 && shape.count === 1 ? slicedTiles : [];
  const tiles = named
    ? [named]
    : k < LONG_K && Math.min(m, n) < THIN
      ? []
      : [...narrow, ...sliced, ...deep, ...slim(shape)];
  const fits = tiles.filter(
    (tile) => named || (tileThreads(tile) <= target.maxWorkgroupSize && tileBytes(tile) <= target.maxWorkgroupBytes),
  );
  return [
    ...fits.flatMap((tile) => chunkCounts(k, 8 * tile.k).map((chunks) => tiled(shape, tile, chunks, machines))),
    ...(named ? [] : thinOffers(shape, target)).flatMap((thin) =>
      chunkCounts(k, 1024).map((chunks) => thinned(shape, thin, chunks, machines)),
    ),
    ...(named ? [] : columnOffers(shape, target, machines)),
  ].filter(({ chunks, tile }) => !target.uncut || (chunks === 1 && (tile === null || slicesOf(tile) === 1)));
}

/** Share of a machine's peak that so many FLOP reach in `micros`. */
export const shareOfPeak = (flops: number, micros: number, target: Target): number =>
  Math.min(1, flops / (micros * PEAK * machinesOf(target).about));

function searched(shape: ProductShape, target: Target, named: MatmulTile | null): ProductFactors | null {
  const { m, n, k, batch } = shape.sizes;
  if (batch * m * n === 0 || k === 0) return null;
  const machines = machinesOf(target);
  // A second kernel must be worth more than the error of a prediction.
  const sure = machines.counted === null ? SURE : COUNTED_SURE;
  const cost = ({ micros, chunks }: Candidate): number => (chunks === 1 ? micros : sure * (micros + machines.launch));
  const best = productOffers(shape, target, named).reduce<Candidate | null>(
    (least, each) => (least === null || cost(each) < cost(least) ? each : least),
    null,
  );
  const alone = named ? Infinity : (shape.direct ?? Infinity);
  if (best === null || cost(best) > alone) return null;
  const flops = 2 * batch * m * n * k * shape.count * best.share;
  return { ...best, reached: shareOfPeak(flops, best.micros, target) };
}
