/** @file Keys that are counted in workgroup memory: how many elements a workgroup takes, and what that costs. */
import type { Machine } from "../../nest/nest";
import { LOAD, MEETING, MEETING_PER_THREAD, SHARED_WAIT, START, takenMicros, WARP } from "../../nest/price";

/** Threads of a workgroup, in every kernel that counts or groups. */
export const GROUP_THREADS = 256;
/** Counts that stand in one line of memory. */
export const KEYS_IN_LINE = 32;
/** Additions and stores anywhere in memory that a machine makes in a µs, each in a sector of its own. */
export const SCATTERED_PER_MICRO = 60_000;
/** Registers of a thread that counts. */
const REGISTERS = 16;

/** What is grouped: a list of elements, and the keys that have ranges. */
export interface GroupShape {
  readonly elements: number;
  readonly targets: number;
  /** Bytes that an element's key is computed from. */
  readonly readBytes: number;
  readonly listed: boolean;
  /** Equal parts of the list that have keys of their own: those that are under way at a time share few lines. */
  readonly lists: number;
}

/** How a workgroup counts keys in its own memory. */
export interface CountFactors {
  /** Keys of a list. */
  readonly bins: number;
  /** Elements that a thread takes, in how many workgroups for each list, of how many lists. */
  readonly turns: number;
  readonly parts: number;
  readonly lists: number;
}

/** Elements whose keys a thread loads before it counts them. */
export const COUNTED_AHEAD = 4;
const TURNS = [4, 8, 16, 32, 64, 128, 256];
/** Accesses of workgroup memory that a warp needs to add one each to counts that are chosen at random: some of them meet. */
const MEETINGS = 4;
/** µs from one addition of a warp to the next, where 32 neighbouring counts stand in one line of memory. */
const LINE_ADDED = 0.008;

/** µs of a kernel whose workgroups count keys by themselves and then add their counts to those of all. */
export function countingMicros(
  { elements, targets, readBytes, lists }: GroupShape,
  { bins, turns, parts }: CountFactors,
  machine: Machine,
): number {
  const workgroups = parts * lists;
  const cells = bins / WARP;
  const counted = takenMicros(
    {
      workgroups,
      threads: GROUP_THREADS,
      registers: REGISTERS,
      bytes: 4 * bins,
      moved: elements * readBytes,
      lines: elements / WARP + workgroups * cells,
      shared: (elements / WARP) * MEETINGS + 2 * workgroups * cells,
      alone:
        START +
        (turns / COUNTED_AHEAD) * LOAD +
        turns * SHARED_WAIT +
        2 * (MEETING + MEETING_PER_THREAD * GROUP_THREADS) +
        2 * Math.ceil(bins / GROUP_THREADS) * SHARED_WAIT,
    },
    machine,
  );
  const inLine = ((workgroups * bins) / Math.max(KEYS_IN_LINE, targets)) * LINE_ADDED;
  return counted + Math.max(inLine, (workgroups * cells) / SCATTERED_PER_MICRO);
}

/** How keys are counted in workgroup memory with the least price; null where that has no room for them. */
export function countFactors(shape: GroupShape, machine: Machine): CountFactors | null {
  const { elements, targets, lists, listed } = shape;
  const bins = targets / lists;
  if (listed || machine.sharing === "alone" || 4 * bins > machine.maxBytes || GROUP_THREADS > machine.maxThreads)
    return null;
  const offered = TURNS.map((turns) => ({
    bins,
    turns,
    parts: Math.ceil(elements / lists / (GROUP_THREADS * turns)),
    lists,
  }));
  const micros = offered.map((factors) => countingMicros(shape, factors, machine));
  return offered[micros.indexOf(Math.min(...micros))]!;
}
