/** @file The score: the totals of the naive plan, of the shown step and of the last one, as the row writes them. */
import type { Graph, Sums } from "../../../fusion";
import type { Score } from "../../../state";
import { brief, count, measureBytes, measureMicros, type Measure } from "../units";

export type Three<T> = readonly [naive: T, now: T, end: T];

export interface ScoreWords {
  readonly kernels: Three<string>;
  readonly transfers: { readonly tally: Tally; readonly values: Three<string> };
  readonly bytes: { readonly values: Three<string>; readonly unit: string };
  readonly micros: { readonly values: Three<string>; readonly unit: string };
}

const three = <T>({ naive, now, end }: Score, pick: (totals: Sums) => T): Three<T> => [
  pick(naive),
  pick(now),
  pick(end),
];

/** A number as `shown` writes it; `NaN` is what nobody knows. */
export const known = (value: number, shown: (value: number) => string): string =>
  Number.isNaN(value) ? UNKNOWN : shown(value);
/** What nobody knows. */
export const UNKNOWN = "–";

function inOneUnit(
  values: Three<number>,
  measure: (all: readonly number[], shown: (value: number) => string) => (value: number) => Measure,
): ScoreWords["bytes"] {
  const one = measure(values, brief);
  const shown = values.map((value) => ({ ...one(0), value: known(value, (number) => one(number).value) }));
  return { values: [shown[0]!.value, shown[1]!.value, shown[2]!.value], unit: shown[0]!.unit };
}

/** Which transfers are counted where plans of one program are compared. */
export interface Tally {
  readonly noun: "full-size transfers" | "transfers";
  /** `noun` as a heading. */
  readonly title: string;
  readonly meaning: string;
  /** Whether an access of a kernel is counted. */
  readonly counts: (access: { readonly fullSize: boolean }) => boolean;
  readonly of: (totals: Counted) => number;
  readonly text: (totals: Counted) => string;
}

type Counted = Pick<Sums, "transfers" | "fullSizeTransfers" | "bytes">;

const fullSize: Tally = {
  noun: "full-size transfers",
  title: "Full-size transfers",
  meaning:
    "Reads and writes by kernels of tensors at least a quarter as large as the largest one. <1: only smaller ones move.",
  counts: (access) => access.fullSize,
  of: ({ fullSizeTransfers }) => fullSizeTransfers,
  // Where only small ones move, it is more than none.
  text: ({ fullSizeTransfers, bytes }) =>
    fullSizeTransfers === 0 && bytes > 0 ? "<1" : known(fullSizeTransfers, count),
};

const allSizes: Tally = {
  noun: "transfers",
  title: "Transfers",
  meaning: "Reads and writes of tensors by kernels, of all sizes: none is a quarter as large as the largest tensor.",
  counts: () => true,
  of: ({ transfers }) => transfers,
  text: ({ transfers }) => known(transfers, count),
};

/** Transfers of full size, where a plan has any: what is a small part of the largest tensor is counted in all sizes. */
export const tallyOf = (...plans: readonly Counted[]): Tally =>
  plans.some(({ fullSizeTransfers }) => fullSizeTransfers > 0) ? fullSize : allSizes;

export function scoreWords(totals: Score): ScoreWords {
  const tally = tallyOf(totals.naive);
  return {
    kernels: three(totals, (each) => count(each.kernels)),
    transfers: { tally, values: three(totals, tally.text) },
    bytes: inOneUnit(
      three(totals, (each) => each.bytes),
      measureBytes,
    ),
    micros: inOneUnit(
      three(totals, (each) => each.predictedMicros),
      measureMicros,
    ),
  };
}

const counts = new WeakMap<Graph, number>();

/** Ops of a graph: everything but sources, scalars and gaps. */
export function opCount(graph: Graph): number {
  let found = counts.get(graph);
  if (found === undefined) {
    found = 0;
    for (const { op } of graph.nodes.values()) if (op !== "input" && op !== "const" && op !== "hole") found++;
    counts.set(graph, found);
  }
  return found;
}
