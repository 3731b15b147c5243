/** @file The score: the totals of the naive plan, of the shown step and of the last one, as the row writes them. */
import type { Graph, Sums } from "../../../fusion";
import type { Score } from "../../../state";
import { brief, count, measureBytes, measureMicros, type Measure } from "../units";

export type Three<T> = readonly [naive: T, now: T, end: T];

export interface ScoreWords {
  readonly kernels: Three<string>;
  readonly transfers: Three<string>;
  readonly bytes: { readonly values: Three<string>; readonly unit: string };
  readonly micros: { readonly values: Three<string>; readonly unit: string };
}

const three = <T>({ naive, now, end }: Score, pick: (totals: Sums) => T): Three<T> => [
  pick(naive),
  pick(now),
  pick(end),
];

function inOneUnit(
  values: Three<number>,
  measure: (all: readonly number[], shown: (value: number) => string) => (value: number) => Measure,
): ScoreWords["bytes"] {
  const one = measure(values, brief);
  const shown = values.map(one);
  return { values: [shown[0]!.value, shown[1]!.value, shown[2]!.value], unit: shown[0]!.unit };
}

/** Transfers of large tensors; where only small ones move, it is more than none. */
export const transferCount = ({ fullSizeTransfers, bytes }: Pick<Sums, "fullSizeTransfers" | "bytes">): string =>
  fullSizeTransfers === 0 && bytes > 0 ? "<1" : count(fullSizeTransfers);

export function scoreWords(totals: Score): ScoreWords {
  return {
    kernels: three(totals, (each) => count(each.kernels)),
    transfers: three(totals, transferCount),
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
