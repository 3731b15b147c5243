/** @file What the tiles of a product take: how many of them a multiprocessor runs side by side, and how much of its arithmetic they reach. */
import { MEETING, SHARED_LOADS, WARP } from "../../nest/price";
import { REGISTERS, residents, STEP, wavesMicros } from "../../nest/waves";
import type { MatmulTile } from "../../types";
import { slicesOf, tileBytes, sliceThreads, tileThreads } from "./matmul";

/** FLOP of a multiprocessor in a µs. */
const FLOPS = 503_000;
/** Its schedulers, and the share of one's arithmetic that a single warp keeps busy: two keep all of it. */
const SCHEDULERS = 4;
const LONE_WARP = 0.8;
/** Slots that a load of a vector from workgroup memory holds up, beside multiply-adds of a vector. */
const LOAD_SLOTS = 0.74;
/** Multiply-adds of a thread that pass while it waits at the two barriers of a step and stores what it loaded, where no other workgroup is. */
const STEP_WAIT = 180;
/** How soon workgroups beside one another hide it. */
const HIDDEN = 1.5;
/** FLOP that pass while a byte comes from memory or the second-level cache to workgroup memory. */
const FETCH_FLOPS = 6.5;
/** Steps of k that pass before the first product and after the last. Where workgroups come one after another, their neighbours hide them. */
const START_AND_END = 24;
/** Workgroups for each that runs at once from which on they no longer begin and end together. */
const STREAMING = 8;
/** Accumulators of a thread above which a tile must be measured before it is offered: compilers run out of registers. */
export const MANY = 96;
/** Share of a tile's speed that threads with so many reach: few of them fit on a multiprocessor. */
const CROWDED = 0.94;

/** Registers of a thread beside its accumulators; of each vector on its way: where it comes from, its values, and what is read ahead of it. */
const [FIXED, PER_LOAD] = [1, 17.5];
/** What a thread has at most; what compilers leave it beside its accumulators, though two workgroups then don't fit. */
const [MOST, LEAST] = [255, 48];

/** Registers of a thread, fitted to how many workgroups of ten tiles a multiprocessor ran side by side (H200): two, wherever that can be. */
export function tileRegisters(tile: MatmulTile): number {
  const [outputs, threads] = [tile.rm * tile.rn, tileThreads(tile)];
  const loads = Math.ceil((tile.m * tile.k + tile.k * tile.n) / 4 / threads);
  const granted = Math.min(MOST, Math.max(REGISTERS / 2 / threads, outputs + LEAST));
  return Math.min(granted, outputs + FIXED + PER_LOAD * loads);
}

/** How many workgroups of a tile a multiprocessor runs side by side, and the share of its arithmetic that 1, 2, … of them reach. */
interface Residency {
  readonly most: number;
  readonly rates: readonly number[];
}

const residencies = new WeakMap<MatmulTile, Residency>();

export function residencyOf(tile: MatmulTile): Residency {
  const known = residencies.get(tile);
  if (known) return known;
  const { m, n, k, rm, rn } = tile;
  const threads = tileThreads(tile);
  const most = residents(threads, tileRegisters(tile), tileBytes(tile));
  const outputs = rm * rn;
  const alike = 1 + LOAD_SLOTS * ((rm + rn) / outputs) + FETCH_FLOPS * 2 * (1 / m + 1 / n);
  const step = (k / slicesOf(tile)) * outputs;
  const rates = Array.from({ length: most }, (_, i) => {
    const busy = busyShare(((i + 1) * threads) / WARP, i + 1 === most);
    return ((outputs > MANY ? CROWDED : 1) * busy) / (alike + STEP_WAIT / step / (i + 1) ** HIDDEN);
  });
  residencies.set(tile, { most, rates });
  return { most, rates };
}

/**
 * Share of a multiprocessor's arithmetic that so many warps keep busy. Each belongs to one scheduler, and the one with most of them ends
 * last; where it is full, others follow those that end.
 */
function busyShare(warps: number, full: boolean): number {
  const most = Math.ceil(warps / SCHEDULERS);
  const even = full ? 1 : warps / (SCHEDULERS * most);
  return even * Math.min(1, most * LONE_WARP);
}

/** µs of `workgroups` tiles that walk `length` of k. */
export function tileMicros(tile: MatmulTile, workgroups: number, length: number, multiprocessors: number): number {
  const { most, rates } = residencyOf(tile);
  const hidden = workgroups > STREAMING * multiprocessors * most ? most : 1;
  const work = 2 * tile.m * tile.n * (length + START_AND_END / hidden);
  const least = STEP * (length / tile.k);
  return wavesMicros(
    workgroups,
    multiprocessors,
    most,
    (beside) => Math.max(least, (beside * work) / (FLOPS * rates[beside - 1]!)) + addingMicros(tile, beside),
  );
}

/** µs in which `beside` workgroups add up what their slices of k came to: vectors that are stored and loaded by each thread but the first slice's. */
function addingMicros(tile: MatmulTile, beside: number): number {
  const slices = slicesOf(tile);
  if (slices === 1) return 0;
  const vectors = (tile.rm * tile.rn) / 4;
  const warps = (sliceThreads(tile) * (slices - 1)) / WARP;
  // A vector of each thread of a warp is four accesses.
  return 2 * MEETING * Math.log2(slices) * 4 + (beside * warps * vectors * 2 * 4) / SHARED_LOADS;
}
