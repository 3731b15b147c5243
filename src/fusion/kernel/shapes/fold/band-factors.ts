/**
 * @file Bands: rows are walked and folded one after another by the threads of a workgroup, and each of these keeps what it folds of its
 * columns from row to row. A second nest joins the bands.
 */
import type { Machine } from "../../nest/nest";
import {
  ISSUE,
  LOAD,
  MEETING,
  MEETING_PER_THREAD,
  meetings,
  residentOf,
  SHARED_LOADS,
  START,
  TURN_LOST,
  WARP,
  type FoldShape,
} from "../../nest/price";

/** Rows that are walked and folded, and whose columns are folded as well. */
export interface BandShape extends FoldShape {
  /** Folds of rows, all stages together. */
  readonly folds: number;
  readonly columnFolds: number;
}

/** Threads of a workgroup, which share each of its rows, and how many rows it takes one after another. */
export interface BandFactors {
  readonly threads: number;
  readonly each: number;
}

/** Values of a row and of its columns' folds that a thread holds. */
export function heldByBand({ columns, vector, waiting, columnFolds }: BandShape, threads: number): number {
  const wide = vector === "folded" ? 4 : 1;
  return Math.ceil(columns / wide / threads) * wide * ((waiting ?? 0) + columnFolds);
}

/** Workgroups that a machine runs at once. */
function bandSlots(shape: BandShape, threads: number, { multiprocessors }: Machine): number {
  const wide = shape.vector === "folded" ? 4 : 1;
  const registers = 16 + (shape.live + shape.accumulators) * wide + heldByBand(shape, threads);
  return multiprocessors * residentOf(threads, registers, threads * shape.meetingBytes);
}

/** Predicted time of a band kernel and of the one that joins the bands, without launches, µs; ∞ where the machine has no room for it. */
export function bandMicros(shape: BandShape, { threads, each }: BandFactors, machine: Machine): number {
  const { rows, columns, stages, folds, columnFolds, vector } = shape;
  if (threads > machine.maxThreads || threads * shape.meetingBytes > machine.maxBytes) return Infinity;
  const [bands, slots] = [Math.ceil(rows / each), bandSlots(shape, threads, machine)];
  const left = 4 * bands * columns * columnFolds;
  const units = Math.ceil(columns / (vector === "folded" ? 4 : 1) / threads);
  const barriers = stages * 2 * meetings(threads) + 1;
  const row =
    LOAD +
    shape.addressing.row +
    units * (ISSUE + shape.addressing.vector) +
    barriers * (MEETING + MEETING_PER_THREAD * threads);
  const last = threads <= 16 ? threads : 2 ** Math.ceil(Math.log2(threads) / 2);
  const loads = Math.ceil(threads / WARP) * last + threads / last;
  const times = [
    ((rows * columns * (shape.readBytes + shape.writeBytes) + left) / machine.bandwidth) * 1e6,
    (rows * folds * loads) / (SHARED_LOADS * machine.multiprocessors),
    (bands <= 4 * slots ? Math.ceil(bands / slots) : bands / slots) * (START + each * row),
  ];
  const longest = Math.max(...times);
  const joining = START + LOAD + (left / machine.bandwidth) * 1e6;
  return longest + TURN_LOST * (times.reduce((sum, time) => sum + time, 0) - longest) + joining;
}

/** Values that a thread holds at most: half of the registers that it can have. */
const MAX_HELD = 128;
const WORKGROUPS = [32, 64, 128, 256];
/** Workgroups for each that the machine runs at once. */
const SHARES = [0.5, 1, 2, 4];
/** Rows of a band at least: what bands leave stays small beside what they read. */
const MIN_ROWS = 4;

/** Whether registers have room for what each thread holds. */
export const bandFits = (shape: BandShape, { threads }: BandFactors): boolean => heldByBand(shape, threads) <= MAX_HELD;

/** The factors of least price; those of the largest workgroup where registers have room for none. */
export function bandFactors(shape: BandShape, machine: Machine, chosen: number | undefined): BandFactors {
  const sizes = chosen ? [chosen] : WORKGROUPS.filter((threads) => threads <= machine.maxThreads);
  const offers = (sizes.length > 0 ? sizes : [machine.maxThreads]).flatMap((threads) =>
    SHARES.map((share): BandFactors => {
      const bands = share * bandSlots(shape, threads, machine);
      return { threads, each: Math.min(shape.rows, Math.max(MIN_ROWS, Math.ceil(shape.rows / bands))) };
    }),
  );
  const room = offers.filter((factors) => bandFits(shape, factors) && bandMicros(shape, factors, machine) < Infinity);
  if (room.length === 0) return offers.at(-1)!;
  return room.reduce((best, factors) =>
    bandMicros(shape, factors, machine) < bandMicros(shape, best, machine) ? factors : best,
  );
}
