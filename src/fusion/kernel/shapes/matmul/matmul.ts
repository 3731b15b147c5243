/** @file Sizes of a contraction and the tile that fits them. */
import { node, sizeOf, type Graph, type NodeId, type Shape } from "../../../ir";
import type { MatmulTile, Variant } from "../../types";

export interface MatmulSizes {
  readonly batch: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Sides shorter than a tile's smallest half. */
export const THIN = 16;

/** How the axes of a product's result are shared out. In the result they stand in this order, but the last column axis is behind the rows. */
export interface MatmulAxes {
  readonly batch: Shape;
  readonly columns: Shape;
  readonly rows: Shape;
}

/**
 * Which axes of the batch become rows or columns: none, where a kernel folds rows while they are made or compares their numbers with those
 * of columns; rows, where it folds whole ones; both, where it takes each element by itself.
 */
export type BatchAs = "batch" | "rows" | "elements";

const FOLDING: Partial<Record<Variant, BatchAs>> = {
  "flash-tile": "batch",
  "flash-thread": "batch",
  "reduce-tile": "batch",
  "reduce-thread": "batch",
  "matmul-rows": "rows",
  "matmul-rows-thread": "rows",
};

/** What becomes of a batch in a kernel of this variant. */
export const batchAs = (variant: Variant): BatchAs => FOLDING[variant] ?? "elements";

/**
 * By NumPy's rules: a vector on the left is one row, on the right one column. Batch axes next to the rows along which the right operand does
 * not change are more rows, and those before them along which the left one does not change are more columns, where these are worth it: tiles
 * are as full as the product allows.
 * @param products all that share its kernel, and so its axes
 */
export function matmulAxes(
  graph: Graph,
  id: NodeId,
  as: BatchAs = "rows",
  products: readonly NodeId[] = [id],
): MatmulAxes {
  const { inputs, type } = node(graph, id);
  const [a, b] = inputs.map((input) => node(graph, input).type.shape) as [Shape, Shape];
  const [rows, columns] = [Math.min(1, a.length - 1), Math.min(1, b.length - 1)];
  const batch = type.shape.length - rows - columns;
  const changes = (operand: 0 | 1): number =>
    Math.max(...products.map((each) => changing(graph, each, operand, batch)));
  const beforeRows = as === "batch" || rows === 0 ? batch : changes(1);
  const joined = as === "elements" && columns > 0 && worthJoining(b.at(-1)!);
  const beforeColumns = joined ? Math.min(beforeRows, changes(0)) : beforeRows;
  return {
    batch: type.shape.slice(0, beforeColumns),
    columns: [...type.shape.slice(beforeColumns, beforeRows), ...type.shape.slice(batch + rows)],
    rows: type.shape.slice(beforeRows, batch + rows),
  };
}

/** Columns above which at most an eighth of the last tile of each matrix is empty. */
const MANY_COLUMNS = 8 * 64;

/** Columns of one matrix: side by side in memory as a warp stores them, and, where vectors reach into the next matrix, few enough to pay for that. */
const worthJoining = (columns: number): boolean => columns >= THIN && (columns % 4 === 0 || columns < MANY_COLUMNS);

/** How many of a product's batch axes there are up to the last one along which that operand changes. */
function changing(graph: Graph, id: NodeId, operand: 0 | 1, batch: number): number {
  const own = node(graph, node(graph, id).inputs[operand]!).type.shape.slice(0, -2);
  const last = own.findLastIndex((extent) => extent !== 1);
  return last < 0 ? 0 : batch - own.length + last + 1;
}

/** M, N, K and batch of a `matmul` node, with its axes shared out as `matmulAxes` says. */
export function matmulSizes(graph: Graph, id: NodeId, as?: BatchAs, products?: readonly NodeId[]): MatmulSizes {
  const { batch, rows, columns } = matmulAxes(graph, id, as, products);
  const k = node(graph, node(graph, id).inputs[0]!).type.shape.at(-1)!;
  return { batch: sizeOf(batch), m: sizeOf(rows), n: sizeOf(columns), k };
}

/** What a thread of a CPU adapter keeps in registers. */
export const CPU_TILE: MatmulTile = { m: 4, n: 4, k: 1, rm: 4, rn: 4 };

/** From here on a dot product is worth sharing among the threads of a workgroup. */
export const LONG_K = 128;

/** Vectors from one step of k to the next in the left operand's tile: its rows, and one that puts an operand along k into different banks. */
export const leftPitch = ({ m }: Pick<MatmulTile, "m">): number => m / 4 + 1;

/** Vectors of the left operand's tile. */
export const leftVectors = (tile: MatmulTile): number => tile.k * leftPitch(tile);

/** Workgroup memory of both operands' tiles. */
export const tileBytes = (tile: MatmulTile): number => 16 * leftVectors(tile) + 4 * tile.n * tile.k;

export const tileThreads = (tile: MatmulTile): number => sliceThreads(tile) * slicesOf(tile);

/** Threads that share a tile's outputs: as many again in each slice of k. */
export const sliceThreads = ({ m, n, rm, rn }: MatmulTile): number => (m / rm) * (n / rn);

export const slicesOf = ({ slices = 1 }: MatmulTile): number => slices;

/** Multiply-adds of a vector that one load of a vector from workgroup memory holds up, fitted to measured sweeps. */
const LOAD_SLOTS = 0.9;
/** Steps of k that pass before the first product and after the last. */
const START_AND_END = 16;

/** Share of its time that the kernel multiplies elements of the result: loads between, edges of tiles outside, the way in and out. */
export function tileEfficiency({ m, n, k }: MatmulSizes, tile: MatmulTile): number {
  const loads = (tile.rm + tile.rn) / (tile.rm * tile.rn);
  const padded = (size: number, step: number): number => size / (step * Math.ceil(size / step));
  return (padded(m, tile.m) * padded(n, tile.n) * (k / (k + START_AND_END))) / (1 + LOAD_SLOTS * loads);
}

/** Bytes read again by neighbouring tiles if nothing is cached: A·(⌈N/TN⌉−1) + B·(⌈M/TM⌉−1). */
export function tileRereads({ batch, m, n, k }: MatmulSizes, tile: MatmulTile): number {
  return 4 * batch * (m * k * (Math.ceil(n / tile.n) - 1) + k * n * (Math.ceil(m / tile.m) - 1));
}

/** `64x128x16/8x8`: tile m×n×k, outputs per thread; `64x64x32/8x8/2`: in two slices of k. */
export const tileName = ({ m, n, k, rm, rn, slices }: MatmulTile): string =>
  `${m}x${n}x${k}/${rm}x${rn}${slices === undefined ? "" : `/${slices}`}`;

/** The tile of that name; null where the name is of something else. */
export function namedTile(name: string | undefined): MatmulTile | null {
  const found = /^(\d+)x(\d+)x(\d+)\/(\d+)x(\d+)(?:\/(\d+))?$/.exec(name ?? "");
  if (!found) return null;
  const [m, n, k, rm, rn] = found.slice(1, 6).map(Number) as [number, number, number, number, number];
  return { m, n, k, rm, rn, ...(found[6] !== undefined && { slices: Number(found[6]) }) };
}

/** Every thread has the same outputs, whole vectors of them, and as much of k, and brings in the same number of vectors. */
export function isEven(tile: MatmulTile): boolean {
  const { m, n, k, rm, rn } = tile;
  const slices = slicesOf(tile);
  if (
    [m, n, k, rm, rn, slices].some((size) => size === 0) ||
    k % (4 * slices) !== 0 ||
    m % rm !== 0 ||
    n % rn !== 0 ||
    rm % 4 !== 0 ||
    rn % 4 !== 0
  )
    return false;
  const threads = tileThreads(tile);
  return (m * (k / 4)) % threads === 0 && (k * (n / 4)) % threads === 0;
}

/** Tiles worth trying by hand, from one output to a hundred and twenty-eight outputs a thread. */
export const offeredTiles: readonly MatmulTile[] = [
  { m: 32, n: 32, k: 16, rm: 4, rn: 4 },
  { m: 64, n: 64, k: 16, rm: 4, rn: 4 },
  { m: 64, n: 64, k: 16, rm: 8, rn: 8 },
  { m: 64, n: 128, k: 16, rm: 8, rn: 8 },
  { m: 128, n: 64, k: 16, rm: 8, rn: 4 },
  { m: 128, n: 64, k: 16, rm: 8, rn: 8 },
  { m: 128, n: 128, k: 8, rm: 8, rn: 8 },
  { m: 128, n: 128, k: 16, rm: 8, rn: 8 },
  { m: 128, n: 128, k: 16, rm: 8, rn: 16 },
  { m: 256, n: 128, k: 16, rm: 16, rn: 8 },
];

/** Tiles for few workgroups: with k in slices, each has more threads. */
export const slicedTiles: readonly MatmulTile[] = [
  { m: 64, n: 64, k: 16, rm: 8, rn: 8, slices: 2 },
  { m: 64, n: 64, k: 32, rm: 8, rn: 8, slices: 2 },
  { m: 64, n: 128, k: 16, rm: 8, rn: 8, slices: 2 },
  { m: 64, n: 64, k: 32, rm: 8, rn: 8, slices: 4 },
  { m: 32, n: 32, k: 32, rm: 4, rn: 4, slices: 2 },
];
