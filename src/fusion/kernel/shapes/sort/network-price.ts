/** @file What sorts of rows take: in workgroup memory, or where each thread retains the first few that it meets. */
import type { Machine } from "../../nest/nest";
import { levelsOf, networkBytes, slotsOf, type Network } from "../../nest/networks";
import { MEETING, MEETING_PER_THREAD, SHARED_WAIT, takenMicros, WARP } from "../../nest/price";

/** Steps of a network that sorts so many keys; of those, the ones in which two threads of a warp meet in every bank. */
function stepsOf(keys: number): { steps: number; meeting: number } {
  const [levels, near] = [levelsOf(keys), Math.log2(WARP)];
  let meeting = 0;
  for (let level = 1; level <= levels; level++) meeting += Math.min(level, near);
  return { steps: (levels * (levels + 1)) / 2, meeting };
}

/** Barriers in which the threads of a selection learn how many elements wait. */
const COUNTING = 3;
/** µs of a thread for a pair of keys, and for their indices besides: it loads no pair ahead, since what it puts in order may be what it loads next. */
const KEYS = 0.032;
const INDICES = 0.066;

/** Elements that a thread retains at most: each has a key and an index in registers. */
export const MAX_RETAINED = 32;
/** Instructions that make a key; that put an element among those retained, for each of them; and that two threads take to compare. */
const KEY_OPS = 8;
const STEP_OPS = 5;
const PAIR_OPS = 8;
/** µs of an instruction that waits for the one before it. */
const RETAINED_WAIT = 0.002;

/** µs in which the threads of each row retain the first few that each of them meets, and then choose among these, one after another. */
function byThreadMicros({ rows, columns, count }: Network, threads: number, machine: Machine, beside: number): number {
  const own = Math.ceil(columns / threads) * (KEY_OPS + STEP_OPS * count);
  const chosen = count * (levelsOf(threads) * PAIR_OPS + 2 * count + PAIR_OPS);
  const all = threads * beside;
  return takenMicros(
    {
      workgroups: Math.ceil(rows / beside),
      threads: all,
      bytes: 8 * count * beside,
      registers: 24 + 2 * count,
      moved: 0,
      lines: 0,
      shared: (2 * rows * count) / WARP,
      issued: ((own + chosen) * rows * threads) / WARP,
      alone: (own + chosen) * RETAINED_WAIT + MEETING + MEETING_PER_THREAD * all,
    },
    machine,
  );
}

/**
 * µs in which workgroups sort rows: two loads and two stores of workgroup memory for each pair, of keys and of indices.
 * @param threads that share a row
 * @param width elements of a row that one load brings
 * @param beside rows of a workgroup
 */
export function networkMicros(network: Network, threads: number, width: 1 | 4, machine: Machine, beside = 1): number {
  if (network.byThread) return byThreadMicros(network, threads, machine, beside);
  const { rows, columns, retained, indices } = network;
  const accesses = indices ? 8 : 4;
  const { sorts } = slotsOf(network, threads * width);
  const all = threads * beside;
  const barrier = MEETING + MEETING_PER_THREAD * all;
  const turns = retained > 0 ? Math.ceil(columns / (threads * width)) : 0;
  let alone = turns * (COUNTING * barrier + SHARED_WAIT);
  let pairs = 0;
  for (const keys of sorts) {
    const { steps, meeting } = stepsOf(keys);
    alone += steps * (barrier + Math.ceil(keys / 2 / threads) * (KEYS + (indices ? INDICES : 0)));
    pairs += (keys / 2) * (steps + meeting);
  }
  const shared = (rows * (pairs * accesses + turns * threads)) / WARP;
  const bytes = networkBytes([network], threads * width, beside);
  const workgroups = Math.ceil(rows / beside);
  return takenMicros({ workgroups, threads: all, bytes, registers: 24, moved: 0, lines: 0, shared, alone }, machine);
}
