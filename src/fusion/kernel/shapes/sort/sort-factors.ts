/**
 * @file Long rows in order by one digit of the keys after another, the last one first: digits are counted, counts are added up, and every
 * element is put behind those that come before it.
 */
import { CACHE_USED } from "../../nest/cache";
import type { Machine } from "../../nest/nest";
import {
  LINE,
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
  /** Elements that one load brings, of the operand and of what kernels hand over. */
  readonly wide: 1 | 4;
  readonly between: 1 | 4;
  /** Bytes of the operand, for each element. */
  readonly readBytes: number;
}

/** Bits of a digit, threads of a workgroup, and neighbours that each of them takes. */
export interface DigitFactors {
  readonly digit: number;
  readonly passes: number;
  readonly threads: number;
  readonly each: number;
  /** Workgroups of a row. */
  readonly parts: number;
  /** Elements go from pass to pass as one word: what is left of the key, and the index below it. */
  readonly packed: boolean;
}

/** Threads that add up the counts of one digit. */
export const ADDERS = 64;
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

/** Bytes of workgroup memory: a counter of every digit for every thread. */
export const counterBytes = ({ digit, threads }: DigitFactors): number => 4 * 2 ** digit * threads;

/** µs of each kernel that puts rows in order digit by digit, without launches. */
export function digitMicros(shape: OrderShape, factors: DigitFactors, machine: Machine): number[] {
  const { rows, columns, wide, between, readBytes, count } = shape;
  const { digit, passes, threads, each, parts } = factors;
  const [digits, elements] = [2 ** digit, rows * columns];
  const [workgroups, bytes] = [rows * parts, counterBytes(factors)];
  const cells = (digits * threads) / WARP;
  const walked = (each * threads * 2 * RANDOM_BANKS) / WARP;
  const meeting = MEETING + MEETING_PER_THREAD * threads;
  const counts = 4 * rows * digits * parts;
  const rounds = Math.ceil(digits / threads);
  const micros: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    const width = pass === 0 ? wide : between;
    const [read, loads] = [pass === 0 ? readBytes : 4, each / width];
    const indexed = pass === 0 || factors.packed || !shape.indices ? 0 : 1;
    const last = pass === passes - 1;
    const stored = carriedBy(shape, factors, last);
    const left = last ? rows * count : elements;
    // What the cache does not hold until its neighbours come is fetched to be stored to.
    const apart = 4 * left * stored > CACHE_USED * machine.l2Bytes ? LINE * left * stored : 0;
    const turns = loads / loadedTogether(loads);
    const counting =
      START + turns * LOAD + each * 2 * SHARED_WAIT + meeting + (rounds * threads * SHARED_WAIT) / SHARED_AHEAD;
    const base = { workgroups, threads, bytes, registers: 24 + each };
    micros.push(
      takenMicros(
        {
          ...base,
          moved: elements * read + counts,
          lines: elements / width + counts / 4,
          shared: workgroups * (2 * cells + walked),
          alone: counting,
        },
        machine,
      ),
      takenMicros(
        {
          workgroups: rows * digits,
          threads: ADDERS,
          bytes: 4 * ADDERS,
          registers: 24,
          moved: 2 * counts,
          lines: (2 * counts) / 4,
          shared: (rows * digits * ADDERS * ADDERS) / WARP,
          alone: START + 2 * LOAD + meeting + (ADDERS * SHARED_WAIT) / SHARED_AHEAD,
        },
        machine,
      ),
      takenMicros(
        {
          ...base,
          moved: elements * (read + 4 * indexed) + counts + 4 * left * stored + apart,
          // Each element is stored where its digit goes: in a line of its own.
          lines: elements / width + (elements * indexed) / between + counts / 4 + left * stored,
          shared: workgroups * (3 * cells + 2 * walked),
          alone:
            counting +
            (1 + indexed * turns) * LOAD +
            each * 2 * SHARED_WAIT +
            meeting +
            rounds * digits * (SHARED_WAIT / SHARED_AHEAD),
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
const WORKGROUPS = [32, 64, 128, 256];
const EACH = [8, 16, 32];

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
        if (seen.has(key)) continue;
        seen.add(key);
        const packed = !shape.values && passes > 1 && shape.bits - digit + indexBits(shape) <= WORD;
        const factors = { digit, passes, threads, each, parts: Math.ceil(shape.columns / (threads * each)), packed };
        if (counterBytes(factors) > machine.maxBytes) continue;
        const micros = sumOf(digitMicros(shape, factors, machine)) + launchesOf(shape, factors) * machine.launchMicros;
        if (micros < least) [best, least] = [factors, micros];
      }
  return best;
}

/** Kernels: three for each digit, and one that computes what follows. */
export const launchesOf = ({ direct }: Pick<OrderShape, "direct">, { passes }: DigitFactors): number =>
  3 * passes + (direct ? 0 : 1);

export const sumOf = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0);
