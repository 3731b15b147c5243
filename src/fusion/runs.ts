/** @file Runs of equal blocks in a program without names: the same ops in the same order, several times in a row. */
import { type Graph, isSource, type Node } from "./ir";

/** `count` blocks of `length` ops each, from the op at `start` on. */
export interface Run {
  readonly start: number;
  readonly length: number;
  readonly count: number;
  /** Equal for runs whose blocks are equal: ops, and how they are connected inside; not shapes. */
  readonly kind: string;
}

/** A longer block is not looked for: the search costs ops times this. */
const MAX_BLOCK = 512;
const MIN_BLOCK = 3;
/** Fewer kinds of ops are a chain, not a block. */
const LEAST_NAMES = 3;

/** By op: its name as a number, its operands that are ops, and the last op that reads it. */
interface Sequence {
  readonly names: Int32Array;
  readonly operands: readonly (readonly number[])[];
  /** Values that are made before position i and read at or after it, and how often they are read there. */
  readonly crossing: Int32Array;
  readonly readings: Int32Array;
}

/** Ops of a source graph in the text's order. */
export const opsInOrder = (graph: Graph): Node[] => [...graph.nodes.values()].filter((n) => !isSource(n));

function sequenceOf(ops: readonly Node[]): Sequence {
  const at = new Map(ops.map(({ id }, i) => [id, i] as const));
  const numbers = new Map<string, number>();
  const names = Int32Array.from(ops, ({ op }) => numbers.get(op) ?? numbers.set(op, numbers.size).get(op)!);
  const operands = ops.map(({ inputs }) => inputs.map((id) => at.get(id) ?? -1));
  const last = new Int32Array(ops.length).fill(-1);
  operands.forEach((list, i) => {
    for (const operand of list) if (operand >= 0) last[operand] = i;
  });
  const crossing = spanned(ops.length, [...last].entries());
  const readings = spanned(
    ops.length,
    operands.flatMap((list, i) => list.map((operand) => [operand, i] as const)),
  );
  return { names, operands, crossing, readings };
}

/** For each position how many of `pairs` (made at, read at) lie across it. */
function spanned(length: number, pairs: Iterable<readonly [from: number, to: number]>): Int32Array {
  const counts = new Int32Array(length + 2);
  for (const [from, to] of pairs) {
    if (from < 0 || to <= from) continue;
    counts[from + 1]!++;
    counts[to + 1]!--;
  }
  for (let i = 1; i < counts.length; i++) counts[i]! += counts[i - 1]!;
  return counts;
}

/** Where the names repeat after `length` ops: [from, to) covers at least two blocks. */
function* repeats(names: Int32Array, length: number): Generator<readonly [from: number, to: number]> {
  let equal = 0;
  for (let i = 0; i + length <= names.length; i++) {
    if (i + length < names.length && names[i] === names[i + length]) equal++;
    else {
      if (equal >= length) yield [i - equal, i + length];
      equal = 0;
    }
  }
}

/** How the op `i` is connected inside the block that starts at `start`. */
const linksOf = ({ names, operands }: Sequence, i: number, start: number): string =>
  `${names[i]}(${operands[i]!.map((operand) => (operand >= start ? i - operand : "·")).join()})`;

function kindOf(sequence: Sequence, start: number, length: number): string {
  let kind = "";
  for (let i = start; i < start + length; i++) kind += linksOf(sequence, i, start);
  return kind;
}

/**
 * The blocks of [from, to) cut where the fewest values cross, and where those are read most: what a block hands on is read
 * by several ops of the next. Of blocks that are connected alike, the longest run.
 */
function cut(sequence: Sequence, length: number, from: number, to: number): Run | null {
  let best = { start: from, values: Infinity, readings: 0 };
  // The first block may begin in the middle of one that is not like the others: then the run begins with the next.
  for (let start = from; start < from + 2 * length && start + 2 * length <= to; start++) {
    let [values, readings, cuts] = [0, 0, 0];
    for (let at = start; at + length <= to; at += length, cuts++) {
      values += sequence.crossing[at]!;
      readings += sequence.readings[at]!;
    }
    const found = { start, values: values / cuts, readings: readings / cuts };
    // Of cuts between the same values the earlier has one block more.
    const elsewhere = (start - best.start) % length !== 0;
    const more = found.values === best.values && found.readings > best.readings && elsewhere;
    if (found.values < best.values || more) best = found;
  }
  const starts: number[] = [];
  for (let at = best.start; at + length <= to; at += length) starts.push(at);
  let longest: Run | null = null;
  let run: Run = { start: best.start, length, count: 0, kind: "" };
  for (const start of starts) {
    const kind = kindOf(sequence, start, length);
    run = run.kind === kind ? { ...run, count: run.count + 1 } : { start, length, count: 1, kind };
    if (run.count > (longest?.count ?? 1)) longest = run;
  }
  return longest;
}

interface Stretch {
  readonly length: number;
  readonly from: number;
  readonly to: number;
}

/** Ops that are in blocks; many small blocks say more than two large ones of the same ops. */
function worth({ length, from, to }: Stretch): number {
  const count = Math.floor((to - from) / length);
  return length * count * (1 - 1 / count) ** 2;
}

function stretchesOf({ names }: Sequence): Stretch[] {
  const found: Stretch[] = [];
  for (let length = MIN_BLOCK; length <= Math.min(MAX_BLOCK, names.length >> 1); length++) {
    for (const [from, to] of repeats(names, length)) {
      if (new Set(names.subarray(from, from + length)).size >= LEAST_NAMES) found.push({ length, from, to });
    }
  }
  return found.sort((a, b) => worth(b) - worth(a) || a.length - b.length || a.from - b.from);
}

/** Runs that do not overlap, those worth most first. Linear in the ops for a longest block. */
export function runsOf(ops: readonly Node[]): Run[] {
  const sequence = sequenceOf(ops);
  const taken = new Uint8Array(ops.length);
  return stretchesOf(sequence).flatMap(({ length, from, to }) => {
    const run = taken.subarray(from, to).includes(1) ? null : cut(sequence, length, from, to);
    if (run) taken.fill(1, run.start, run.start + run.length * run.count);
    return run ?? [];
  });
}
