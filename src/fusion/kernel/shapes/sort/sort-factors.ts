/**
 * @file Long rows in order by one digit of the keys after another, the last one first: digits are counted, counts are added up, and every
 * element is put behind those that come before it.
 */
import type { Machine } from "../../nest/nest";
import {
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

/** Rows that are put in order. */
export interface OrderShape {
  readonly rows: number;
  readonly columns: number;
  /** How many of the first are wanted. */
  readonly count: number;
  /** Bits that tell keys from one another. */
  readonly bits: number;
  /** What is asked for: elements, where they stood, or both. */
  readonly values: boolean;
  readonly indices: boolean;
  /** The last kernel stores the results: nothing is computed from them here. */
  readonly direct: boolean;
  /** Bytes of the operand, for each element. */
  readonly readBytes: number;
  /** Threads that lie in one subgroup on every machine of the target; 1 where it has none. */
  readonly slice: number;
  /** Neighbours of a row lie apart in the operand and in the results. */
  readonly strided: boolean;
}

/** Bits of a digit, threads of a workgroup, and elements that each of them takes. */
export interface DigitFactors {
  readonly digit: number;
  readonly passes: number;
  readonly threads: number;
  readonly each: number;
  /** Workgroups of a row. */
  readonly parts: number;
  /** Elements go from pass to pass as one word: what is left of the key, and the index below it. */
  readonly packed: boolean;
  /** Threads that number their elements together. */
  readonly slice: number;
}

/** Threads that add up the counts of one digit at most, and counts that one thread adds up alone. */
export const ADDERS = 64;
const ADDED_ALONE = 32;

/** Threads that add up the counts of a digit in so many parts of a row, and how many counts each of them has. */
export function addersOf(parts: number): { readonly threads: number; readonly each: number } {
  const each = parts <= ADDED_ALONE ? parts : Math.ceil(parts / ADDERS);
  return { each, threads: Math.ceil(parts / each) };
}
/** Bits of an index in a row. */
export const indexBits = ({ columns }: Pick<OrderShape, "columns">): number => Math.ceil(Math.log2(columns));
/** Bits of a word that is not negative. */
const WORD = 31;

/** Threads of a warp that meet in one bank when each picks one at random: 32 balls in 32 bins, the fullest of them. */
const RANDOM_BANKS = 3.5;

/** Tensors that hold the elements between two passes, or after the last. */
export function carriedBy({ values, indices }: OrderShape, { packed }: DigitFactors, last: boolean): number {
  if (last) return Number(values) + Number(indices);
  return packed ? 1 : 1 + Number(indices);
}

/** Digits whose counts one thread adds up, where all that come before a digit are added up in two steps. */
export const digitsTogether = ({ digit }: Pick<DigitFactors, "digit">): number => 2 ** Math.ceil(digit / 2);

/** Arrays with a number of each digit, beside the counters: how often the workgroup has it, and all do, and what is added up of these. */
const PER_DIGIT = 4;

/** Bytes of workgroup memory of a kernel that moves: counters of every digit for every slice, and its elements in order. */
export function movingBytes(
  { indices }: Pick<OrderShape, "indices">,
  { digit, threads, each, slice }: Omit<DigitFactors, "parts" | "passes" | "packed">,
): number {
  const groups = 2 ** digit / digitsTogether({ digit });
  return 4 * (2 ** digit * (threads / slice + PER_DIGIT) + 2 * groups + threads * each * (indices ? 2 : 1));
}

/**
 * Instructions of an element whose digit is counted, and of one that takes a number and is put in order, beside those for each bit in which
 * subgroups vote; and of a thread for each count that it adds up on the way to what comes before its digit. On an H200 a million elements are
 * moved in 20.5 µs by threads with 8 of them, in 16.6 by threads with 16.
 */
const COUNTED_OPS = 12;
const TAKEN_OPS = 188;
const VOTE_OPS = 10;
const ADDED_OPS = 33;

/** µs of a thread for each bit in which its subgroup votes, and to take its number: it waits for each. */
const VOTE = 0.008;
const TAKEN = 0.06;

/** µs of a kernel that adds up the counts of one digit, so that each part of a row knows how many come before. */
function addingMicros({ rows }: OrderShape, { digit, parts }: DigitFactors, machine: Machine): number {
  const lists = rows * 2 ** digit;
  const counts = lists * parts;
  const { threads, each } = addersOf(parts);
  const alone = threads === 1;
  return takenMicros(
    {
      workgroups: alone ? Math.ceil(lists / ADDERS) : lists,
      threads: alone ? ADDERS : threads,
      bytes: alone ? 0 : 4 * threads,
      registers: 24,
      moved: 8 * counts,
      lines: 2 * counts,
      shared: alone ? 0 : (lists * threads * threads) / WARP,
      alone:
        START +
        (1 + each / loadedTogether(each)) * LOAD +
        (alone ? 0 : MEETING + MEETING_PER_THREAD * threads + (threads * SHARED_WAIT) / SHARED_AHEAD),
    },
    machine,
  );
}

/** µs of each kernel that puts rows in order digit by digit, without launches. */
export function digitMicros(shape: OrderShape, factors: DigitFactors, machine: Machine): number[] {
  const { rows, columns, readBytes, count, strided } = shape;
  const { digit, passes, threads, each, parts, slice } = factors;
  const [digits, elements, tile] = [2 ** digit, rows * columns, threads * each];
  const workgroups = rows * parts;
  const meeting = MEETING + MEETING_PER_THREAD * threads;
  const counts = 4 * rows * digits * parts;
  const turns = each / loadedTogether(each);
  const base = { workgroups, threads, registers: 24 + 2 * each };
  const cells = (digits * (threads / slice)) / WARP;
  // Neighbours in a tile that is in order go side by side while their digit is the same.
  const run = Math.max(1, tile / digits);
  const storedLines = (left: number): number => left * Math.min(1, 1 / WARP + 1 / run);
  const adding = digitsTogether(factors) + digits / digitsTogether(factors);
  const micros: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    const read = pass === 0 ? readBytes : 4;
    const indexed = pass === 0 || factors.packed || !shape.indices ? 0 : 1;
    const last = pass === passes - 1;
    const stored = carriedBy(shape, factors, last);
    const left = last ? rows * count : elements;
    // What lies apart is a line of its own for each thread.
    const readLines = pass === 0 && strided ? elements : elements / WARP;
    const staged = shape.indices && (pass === 0 || !factors.packed) ? 2 : 1;
    micros.push(
      takenMicros(
        {
          ...base,
          bytes: 4 * digits,
          moved: elements * read + counts,
          lines: readLines + counts / 4,
          shared: (elements / WARP) * RANDOM_BANKS,
          issued: (elements / WARP) * COUNTED_OPS,
          alone: START + turns * LOAD + each * SHARED_WAIT + 2 * meeting,
        },
        machine,
      ),
      addingMicros(shape, factors, machine),
      takenMicros(
        {
          ...base,
          bytes: movingBytes(shape, factors),
          moved: elements * (read + 4 * indexed) + counts + 4 * left * stored,
          lines:
            readLines +
            (elements * indexed) / WARP +
            counts / 4 +
            (last && shape.direct && strided ? left : storedLines(left)) * stored,
          shared: (elements / WARP) * RANDOM_BANKS * (4 + staged) + workgroups * (3 * cells + (adding * digits) / WARP),
          issued:
            (elements / WARP) * (TAKEN_OPS + digit * VOTE_OPS) +
            (workgroups * threads * (adding + threads / slice) * ADDED_OPS) / WARP,
          alone:
            START +
            (1 + turns * (1 + indexed)) * LOAD +
            each * (digit * VOTE + TAKEN + 4 * SHARED_WAIT) +
            6 * meeting +
            ((threads / slice + adding) * SHARED_WAIT) / SHARED_AHEAD,
        },
        machine,
      ),
    );
  }
  if (!shape.direct)
    micros.push(((2 * 4 * rows * count * carriedBy(shape, factors, true)) / machine.bandwidth) * 1e6 + START + LOAD);
  return micros;
}

const DIGITS = [3, 4, 5, 6, 7, 8];
const WORKGROUPS = [64, 128, 256, 512];
const EACH = [4, 8, 16];

/** The factors of least price; null where the machine has room for none. */
export function digitFactors(shape: OrderShape, machine: Machine, chosen: number | undefined): DigitFactors | null {
  const sizes = (chosen ? [chosen] : WORKGROUPS).filter((threads) => threads <= machine.maxThreads);
  const seen = new Set<string>();
  let best: DigitFactors | null = null;
  let least = Infinity;
  for (const most of DIGITS)
    for (const threads of sizes)
      for (const each of EACH) {
        const passes = Math.ceil(shape.bits / most);
        const digit = Math.ceil(shape.bits / passes);
        const key = `${digit} ${threads} ${each}`;
        if (seen.has(key) || threads < 2 ** digit) continue;
        seen.add(key);
        const packed = !shape.values && passes > 1 && shape.bits - digit + indexBits(shape) <= WORD;
        const slice = Math.min(shape.slice, threads);
        const parts = Math.ceil(shape.columns / (threads * each));
        const factors = { digit, passes, threads, each, parts, packed, slice };
        if (movingBytes(shape, factors) > machine.maxBytes) continue;
        const micros = sumOf(digitMicros(shape, factors, machine)) + launchesOf(shape, factors) * machine.launchMicros;
        if (micros < least) [best, least] = [factors, micros];
      }
  return best;
}

/** Kernels: three for each digit, and one that computes what follows. */
export const launchesOf = ({ direct }: Pick<OrderShape, "direct">, { passes }: DigitFactors): number =>
  3 * passes + (direct ? 0 : 1);

export const sumOf = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0);
