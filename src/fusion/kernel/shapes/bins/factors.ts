/**
 * @file Updates that are folded into bins: every thread has a bin of its own for each index in workgroup memory, folds its updates into
 * them one after the other, and the bins of an index are joined. No update meets an index that it does not name, and no two threads meet.
 */
import type { Machine } from "../../nest/nest";
import {
  joiningMicros,
  LOAD,
  loadedTogether,
  MEETING,
  MEETING_PER_THREAD,
  SHARED_AHEAD,
  SHARED_WAIT,
  START,
  takenMicros,
  WARP,
} from "../../nest/price";

/** What is folded into bins. */
export interface BinShape {
  readonly bins: number;
  /** Lists of updates with bins of their own, and the updates of each. */
  readonly lists: number;
  readonly updates: number;
  /** Bytes that an update reads. */
  readonly readBytes: number;
  /** Elements that one load brings. */
  readonly wide: 1 | 4;
}

/** Threads of a workgroup, and vectors that each of them takes. */
export interface BinFactors {
  readonly threads: number;
  readonly turns: number;
  readonly wide: 1 | 4;
  /** Workgroups of a list: each leaves one value for every index. */
  readonly parts: number;
  readonly lists: number;
}

/** Bytes of workgroup memory. */
export const binBytes = ({ bins }: Pick<BinShape, "bins">, threads: number): number => 4 * bins * threads;

/** µs of the kernel that fills the bins and of the one that joins what its workgroups leave, without launches. */
export function binMicros(shape: BinShape, { threads, turns, wide, parts }: BinFactors, machine: Machine): number {
  const { bins, lists, updates, readBytes } = shape;
  const bytes = binBytes(shape, threads);
  const [cells, each] = [(bins * threads) / WARP, turns * wide];
  const rounds = Math.ceil(bins / threads);
  const filled = takenMicros(
    {
      workgroups: lists * parts,
      threads,
      bytes,
      registers: 32,
      moved: lists * (updates * readBytes + 4 * bins * parts),
      lines: lists * (updates / wide + (bins * parts) / 4),
      shared: lists * parts * (2 * cells + (2 * each * threads) / WARP),
      alone:
        START +
        (turns / loadedTogether(turns)) * LOAD +
        each * 2 * SHARED_WAIT +
        2 * (MEETING + MEETING_PER_THREAD * threads) +
        (rounds * 2 * threads * SHARED_WAIT) / SHARED_AHEAD,
    },
    machine,
  );
  return filled + joiningMicros(lists * bins, 1, parts, machine);
}

const THREADS = [8, 16, 32, 64, 128];
const TURNS = [4, 8, 16, 32, 64, 128, 256];

/** The factors of least price; null where no workgroup has room for the bins of eight threads. */
export function binFactors(shape: BinShape, machine: Machine): BinFactors | null {
  const { wide, lists, updates } = shape;
  let best: BinFactors | null = null;
  let least = Infinity;
  for (const threads of THREADS) {
    if (threads > machine.maxThreads || binBytes(shape, threads) > machine.maxBytes) continue;
    for (const turns of TURNS) {
      const factors = { threads, turns, wide, parts: Math.ceil(updates / (threads * turns * wide)), lists };
      const micros = binMicros(shape, factors, machine);
      if (micros < least) [best, least] = [factors, micros];
    }
  }
  return best;
}
