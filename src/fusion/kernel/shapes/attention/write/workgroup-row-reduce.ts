/** @file Rows that several threads share: where each puts what it found, and how all of them then know the whole. */
import { node } from "../../../../ir";
import { opDef } from "../../../../ops";
import { wordFor } from "../../../emit/emitter";
import type { Index } from "../../../emit/index-space";
import type { Reg, Scalar, SharedArray, Value } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { foldLanes, merge, type Accumulator } from "../../../emit/accumulate";
import type { OnlineSoftmaxState } from "./online-softmax-state";

/** Workgroup memory where threads put what they found: an array for each scalar type. */
export class SharedParts {
  readonly #arrays = new Map<Scalar, SharedArray>();

  readonly low: Lowering;
  readonly first: SharedArray;
  /** Vectors that are used of it. */
  readonly cells: number;
  /** Rows of one thread that have slots of their own: the next take the same slots after them. */
  readonly rows: number;

  constructor(low: Lowering, first: SharedArray, cells: number, rows: number) {
    this.low = low;
    this.first = first;
    this.cells = cells;
    this.rows = rows;
    this.#arrays.set(first.scalar, first);
  }

  of(scalar: Scalar): SharedArray {
    const known = this.#arrays.get(scalar) ?? this.low.sharedArray(`${scalar}_parts`, scalar, this.cells, 4);
    this.#arrays.set(scalar, known);
    return known;
  }
}

/** How the threads that share a row meet: where each puts its part, and all the slots that are read back. */
export interface Share {
  readonly parts: SharedParts;
  readonly index: Index;
  /** One component of the cell; null: the whole vector, whose lanes are rows of their own. */
  readonly lane: Index | null;
  readonly cells: readonly Index[];
}

/** Rows of which each thread saw a part: they agree on the peaks, and what each has summed is rescaled to them. */
export function agreeOnPeaks(rows: readonly OnlineSoftmaxState[], shares: readonly Share[]): void {
  const [first] = rows;
  if (!first || first.parts.peak === null) return;
  const { low, parts } = first;
  const def = opDef(node(low.graph, parts.peak!).op);
  const tops = joined(
    low,
    rows.map((row, i) => ({
      share: shares[i]!,
      def,
      scalar: "f32",
      value: row.peak!,
      position: null,
      id: parts.peak!,
    })),
  );
  low.forget(parts.peak!);
  rows.forEach((row, i) => {
    row.rescaleFolds(row.raise(tops[i]!.value));
    row.commitPeak();
  });
}

/** The folds of each row over all lanes and, with `shares`, all threads of it. */
export function foldsOf(rows: readonly OnlineSoftmaxState[], shares: readonly Share[] | null): Accumulator[][] {
  const [first] = rows;
  if (!first) return [];
  const { low } = first;
  const own = rows.map((row) => row.folds.map(({ acc }) => (row.width === 4 ? acc : foldLanes(low, acc))));
  if (!shares) return own;
  const whole: Accumulator[][] = own.map(() => []);
  first.folds.forEach((_, f) => {
    const entries = own.map((folds, i) => ({ ...folds[f]!, share: shares[i]! }));
    joined(low, entries).forEach(({ value, position }, i) =>
      whole[i]!.push({ ...own[i]![f]!, value, position, settled: true }),
    );
  });
  return whole;
}

/**
 * All that is known of rows once they are walked. `enter` each before its values are asked for.
 * @returns what the results of each row are multiplied by in the end
 */
export function completeRows(
  rows: readonly OnlineSoftmaxState[],
  columns: number,
  shares: readonly Share[] | null,
): readonly (Value | null)[] {
  const last = rows.map((row) => row.last());
  foldsOf(rows, shares).forEach((folds, i) => rows[i]!.complete(columns, folds));
  return last;
}

interface Part extends Pick<Accumulator, "id" | "def" | "scalar" | "position"> {
  readonly share: Share;
  readonly value: Value;
}

/** One fold of several rows over all threads that share them; every one of them then knows it. */
export function joined(
  low: Lowering,
  parts: readonly Part[],
): { readonly value: Reg; readonly position: Reg | null }[] {
  const atOnce = parts[0]!.share.parts.rows;
  return Array.from({ length: Math.ceil(parts.length / atOnce) }, (_, i) =>
    parts.slice(i * atOnce, (i + 1) * atOnce),
  ).flatMap((some) => {
    for (const { share, value, position, id } of some) {
      const { parts, index, lane } = share;
      const put = (part: Value): void =>
        low.emit({ kind: "storeShared", array: parts.of(part.scalar), index, value: part, lane, nodes: [id] });
      put(value);
      if (position) put(position);
    }
    low.barrier();
    const all = some.map((part) => joinCells(low, part));
    low.barrier();
    return all;
  });
}

function joinCells(
  low: Lowering,
  { share: { parts, lane, cells }, def, scalar, position, id }: Part,
): { readonly value: Reg; readonly position: Reg | null } {
  const read = (of: Scalar, index: Index): Reg =>
    low.let("part", of, 4, { kind: "loadShared", array: parts.of(of), index }, [id]);
  if (position) {
    const [start, ...rest] = cells;
    const best: Accumulator = {
      id,
      def,
      operand: id,
      scalar,
      value: low.variable("best", scalar, 4, read(scalar, start!), [id]),
      position: low.variable("best_at", "i32", 4, read("i32", start!), [id]),
      settled: false,
    };
    for (const cell of rest) merge(low, best, read(scalar, cell), read("i32", cell));
    const one = lane === null ? best : foldLanes(low, best);
    return {
      value: one.value,
      position: low.let(wordFor(node(low.graph, id)), "i32", one.position!.width, one.position!, [id]),
    };
  }
  const both = (a: Reg, b: Reg): Reg => low.let("part", scalar, 4, { kind: "combine", def, a, b }, [id]);
  const all = cells.map((cell) => read(scalar, cell)).reduce(both);
  if (lane === null) return { value: all, position: null };
  const pair = (lanes: readonly [number, number]): Reg =>
    low.let("part", scalar, 1, { kind: "combine", def, a: all, b: all, lanes }, [id]);
  const word = `${wordFor(node(low.graph, id))}_all`;
  const value = low.let(word, scalar, 1, { kind: "combine", def, a: pair([0, 1]), b: pair([2, 3]) }, [id]);
  return { value, position: null };
}
