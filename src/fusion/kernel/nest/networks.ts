/**
 * @file Keys in workgroup memory: rows that a network sorts (Batcher, 1968), and rows of which the first few are found while they go by.
 * Those so far stand in order, elements that come before the last of them wait behind them, and only when they are too many all are sorted.
 */
import { MAX_SORTED } from "../../ops";

/** Rows in the memory of a workgroup: sorted as they are, or, where `retained` is not 0, their first `retained` elements found while they go by. */
export interface Network {
  readonly rows: number;
  readonly columns: number;
  readonly retained: number;
  readonly indices: boolean;
  /** How many of the first are wanted. */
  readonly count: number;
  /** No network: each thread retains the first few that it meets, and those of a row, all of one subgroup, choose among these. */
  readonly byThread?: true;
}

/** A part of a network, which may say that it is none. */
type Sorted<Of extends keyof Network> = Pick<Network, Of> & Partial<Pick<Network, "count" | "byThread">>;

/** What a workgroup holds of a row. */
export interface Slots {
  /** Keys that there is room for. */
  readonly slots: number;
  /** Elements that may wait when a turn begins. */
  readonly slack: number;
  /** How many keys are sorted each time, where the elements of a row stand in no order. */
  readonly sorts: readonly number[];
}

/**
 * Room for the keys of a row of which `perTurn` elements go by at a time. Of a row in no order, an element after `m` others is one of its
 * first `retained` so far with probability `retained` / m: `retained` · ln(columns / perTurn) come in after the first turn, and twice as many may wait.
 */
export function slotsOf(
  { columns, retained, count, byThread }: Sorted<"columns" | "retained">,
  perTurn: number,
): Slots {
  if (byThread) return { slots: count!, slack: 0, sorts: [] };
  if (retained === 0) return { slots: columns, slack: 0, sorts: [columns] };
  const expected = Math.ceil(retained * Math.log(Math.max(1, columns / perTurn)));
  const slack = Math.min(perTurn, 2 * expected);
  return { slots: retained + slack + perTurn, slack, sorts: sortsWhile(columns, retained, perTurn, slack) };
}

/**
 * How many keys are sorted each time. Until the first sort every element waits; then those that come before the last of those retained,
 * as that was known from what the last sort had seen. When more than `slack` wait, and at the end of the row, they are sorted.
 */
function sortsWhile(columns: number, retained: number, perTurn: number, slack: number): number[] {
  const first = Math.min(columns, slack < perTurn ? perTurn : 2 * perTurn);
  const sorts = [retained + first];
  for (let seen = first; seen < columns;) {
    const rate = Math.min(1, retained / seen);
    const turns = Math.floor(slack / (perTurn * rate)) + 1;
    const until = Math.min(columns, seen + turns * perTurn);
    sorts.push(retained + Math.ceil((until - seen) * rate));
    seen = until;
  }
  return sorts;
}

/** What the parts of a row leave of it where its first few are chosen in each, and then among those: elements in parts of `retained`. */
export const retainedByParts = (columns: number, retained: number, parts: number, length: number): number =>
  (parts - 1) * retained + Math.min(retained, columns - (parts - 1) * length);

/** Levels of a network that sorts so many keys: each merges runs of one length two by two, in one step more than the one before. */
export const levelsOf = (keys: number): number => Math.ceil(Math.log2(Math.max(1, keys)));

/** Comparisons of one row. */
export function comparisonsOfSorts(network: Sorted<"columns" | "retained">, perTurn: number): number {
  const { columns, retained, count = 0, byThread } = network;
  // Each element with all that its thread retains; then threads in pairs, for each of the first.
  if (byThread) return count * (columns + perTurn * levelsOf(perTurn));
  return slotsOf(network, perTurn).sorts.reduce(
    (sum, keys) => sum + (keys * levelsOf(keys) * (levelsOf(keys) + 1)) / 4,
    retained > 0 ? columns : 0,
  );
}

/** Elements that threads take at a time, where the comparisons of a selection are estimated; and how many times fewer than a sort's they must be. */
const PER_TURN = 128;
const FEWER = 3;

/** How many elements of a row are retained while it goes by, where so many of the first are wanted; 0 where the row is sorted whole. */
export function retainedOf(columns: number, count: number): number {
  if (columns > MAX_SORTED) return count;
  const comparisons = (retained: number): number => comparisonsOfSorts({ columns, retained }, PER_TURN);
  return FEWER * comparisons(count) <= comparisons(0) ? count : 0;
}

/** Counters of a selection: how many wait, and the same for all threads to read. */
const COUNTERS = 2;

/** Cells of workgroup memory from one row to the next: pairs of a network are found by the bits of their numbers, so rows begin at a power of two. */
export const pitchOf = (slots: number, beside: number): number => (beside === 1 ? slots : 2 ** levelsOf(slots));

/**
 * Bytes of workgroup memory that sorts take.
 * @param beside rows that a workgroup sorts at once
 */
export const networkBytes = (
  networks: readonly Sorted<"columns" | "retained" | "indices">[],
  perTurn: number,
  beside = 1,
): number =>
  networks.reduce((sum, network) => {
    const cells = beside * pitchOf(slotsOf(network, perTurn).slots, beside);
    return sum + 4 * cells * (network.indices ? 2 : 1) + (network.retained > 0 && !network.byThread ? 4 * COUNTERS : 0);
  }, 0);
