/** @file What the backward pass keeps, as the panel says it. */
import type { SavedPolicy, SavedRow, SavedSheet, SavedValues } from "../../fusion";
import { count, plural, showBytes } from "./units";

const titles: Readonly<Record<SavedPolicy, string>> = {
  stored: "all values it reads",
  cut: "min-cut",
  segments: "√n segments",
  recomputed: "inputs only",
};

/** In the words of the panel; a null policy: both passes are one graph, and fusion decides. */
export const rowTitle = ({ policy, budgetBytes }: Pick<SavedRow, "policy" | "budgetBytes">): string =>
  policy === null ? "one graph" : budgetBytes !== undefined ? `≤ ${showBytes(budgetBytes)}` : titles[policy];

/** Whether these are the choices that the row was planned with. */
export function isChosen(row: SavedRow, saved: SavedValues | undefined): boolean {
  if (row.policy === null) return saved?.apart !== true && saved?.policy === undefined;
  if (saved?.apart !== true) return false;
  return (saved.policy ?? "stored") === row.policy && saved.budgetBytes === row.budgetBytes;
}

export interface SavedPoint {
  readonly row: SavedRow;
  /** Shares of the chart's width (bytes kept) and height (predicted time), 0 to 1. */
  readonly x: number;
  readonly y: number;
  /** No other row keeps less and takes less. */
  readonly best: boolean;
}

/** Bytes that are kept against the time that is predicted, from none and from the least. */
export function savedPoints({ rows }: SavedSheet): readonly SavedPoint[] {
  const most = Math.max(1, ...rows.map(({ savedBytes }) => savedBytes));
  const times = rows.map(({ totals }) => totals.predictedMicros);
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const beats = (a: SavedRow, b: SavedRow): boolean =>
    a.savedBytes <= b.savedBytes &&
    a.totals.predictedMicros <= b.totals.predictedMicros &&
    (a.savedBytes < b.savedBytes || a.totals.predictedMicros < b.totals.predictedMicros);
  return rows.map((row) => ({
    row,
    x: row.savedBytes / most,
    y: high === low ? 0.5 : (row.totals.predictedMicros - low) / (high - low),
    best: !rows.some((other) => beats(other, row)),
  }));
}

/** `Differentiation made 52 ops of 10; fusion made 13 kernels of 52.` */
export const expansionSentence = ({ forward, both, fused }: SavedSheet["expansion"]): string =>
  `Differentiation turns ${plural(forward.ops, "op")} into ${count(both.ops)}; fusion turns ${count(both.kernels)} kernels into ${count(fused.kernels)}.`;
