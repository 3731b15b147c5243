/**
 * @file Bands: rows are walked and folded one after another by the threads of a workgroup, and each of these keeps what it folds of its
 * columns from row to row. A second nest joins the bands.
 */
import type { Machine } from "../nest";
import { bandMicros, bandSlots, heldByBand, type BandFactors, type BandShape } from "../price";

/** Values that a thread holds at most: half of the registers that it can have. */
const MOST_HELD = 128;
const WORKGROUPS = [32, 64, 128, 256];
/** Workgroups for each that the machine runs at once. */
const SHARES = [0.5, 1, 2, 4];
/** Rows of a band at least: what bands leave stays small beside what they read. */
const FEWEST = 4;

/** Whether registers have room for what each thread holds. */
export const bandFits = (shape: BandShape, { threads }: BandFactors): boolean =>
  heldByBand(shape, threads) <= MOST_HELD;

/** The factors of least price; those of the largest workgroup where registers have room for none. */
export function bandFactors(shape: BandShape, machine: Machine, chosen: number | undefined): BandFactors {
  const sizes = chosen ? [chosen] : WORKGROUPS.filter((threads) => threads <= machine.maxThreads);
  const offers = (sizes.length > 0 ? sizes : [machine.maxThreads]).flatMap((threads) =>
    SHARES.map((share): BandFactors => {
      const bands = share * bandSlots(shape, threads, machine);
      return { threads, each: Math.min(shape.rows, Math.max(FEWEST, Math.ceil(shape.rows / bands))) };
    }),
  );
  const room = offers.filter((factors) => bandFits(shape, factors) && bandMicros(shape, factors, machine) < Infinity);
  if (room.length === 0) return offers.at(-1)!;
  return room.reduce((best, factors) =>
    bandMicros(shape, factors, machine) < bandMicros(shape, best, machine) ? factors : best,
  );
}
