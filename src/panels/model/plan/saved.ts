/** @file What the backward pass keeps, as the panel says it. */
import type { SavedPolicy, SavedRow, SavedSheet, SavedValues } from "../../../fusion";
import type { TimedPlan } from "../../../state";
import { spreadOf } from "../run/statistics";
import { count, plural, showBytes, showMicros } from "../units";

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

/** How long the plan of a row took, µs, where it is one of those that were timed. */
export function microsMeasured(row: SavedRow, timed: readonly TimedPlan[]): number | null {
  const found = timed.findLast(({ savedValues }) => isChosen(row, savedValues));
  return found && found.nanoseconds.length > 0 ? spreadOf(found.nanoseconds).median / 1e3 : null;
}

export interface SavedPoint {
  readonly row: SavedRow;
  /** Predicted, or measured where the chart shows that. */
  readonly micros: number;
  /** Shares of the chart's width (peak memory) and height (time), 0 to 1. */
  readonly x: number;
  readonly y: number;
  /** No other row has a lower peak and takes less. */
  readonly best: boolean;
}

/** Peak memory against time, from the lowest to the highest of each; `timed`: only plans that ran, by what they took. */
export function savedPoints(
  { rows }: Pick<SavedSheet, "rows">,
  timed: readonly TimedPlan[] | null = null,
): readonly SavedPoint[] {
  const shown = rows.flatMap((row) => {
    const micros = timed ? microsMeasured(row, timed) : row.totals.predictedMicros;
    return micros === null ? [] : [{ row, micros, peak: row.totals.peakBytes }];
  });
  // What reads alike stands in the middle: its axis has one label, there.
  const scale = (values: readonly number[], show: (value: number) => string) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const alike = axisEnds(values, show).length === 1;
    return (value: number): number => (alike ? 0.5 : (value - low) / (high - low));
  };
  const x = scale(
    shown.map(({ peak }) => peak),
    showBytes,
  );
  const y = scale(
    shown.map(({ micros }) => micros),
    showMicros,
  );
  type Shown = (typeof shown)[number];
  const beats = (a: Shown, b: Shown): boolean =>
    a.peak <= b.peak && a.micros <= b.micros && (a.peak < b.peak || a.micros < b.micros);
  return shown.map((each) => ({
    row: each.row,
    micros: each.micros,
    x: x(each.peak),
    y: y(each.micros),
    best: !shown.some((other) => beats(other, each)),
  }));
}

export interface AxisEnd {
  readonly text: string;
  /** Where on the axis, 0 to 1. */
  readonly share: number;
}

/** The ends of an axis, lowest first; one in its middle where both read alike, since nothing differs along it. */
export function axisEnds(values: readonly number[], show: (value: number) => string): readonly AxisEnd[] {
  const [low, high] = [show(Math.min(...values)), show(Math.max(...values))];
  if (low === high) return [{ text: low, share: 0.5 }];
  return [
    { text: low, share: 0 },
    { text: high, share: 1 },
  ];
}

/** Both axes of a chart of these plans. */
export const axesOf = (points: readonly SavedPoint[]): Readonly<Record<"peaks" | "times", readonly AxisEnd[]>> => ({
  peaks: axisEnds(
    points.map(({ row }) => row.totals.peakBytes),
    showBytes,
  ),
  times: axisEnds(
    points.map(({ micros }) => micros),
    showMicros,
  ),
});

/** What to expect of budgets below those that are offered; null where each that was tried is met. */
export const leastSentence = ({ leastBytes }: Pick<SavedSheet, "leastBytes">): string | null =>
  leastBytes === null
    ? null
    : `By min-cut at least ${showBytes(leastBytes)} are saved, so smaller budgets are not offered.`;

/** `Differentiation made 52 ops of 10; fusion made 13 kernels of 52.` */
export const expansionSentence = ({ forward, both, fused }: SavedSheet["expansion"]): string =>
  `Differentiation turns ${plural(forward.ops, "op")} into ${count(both.ops)}; fusion turns ${count(both.kernels)} kernels into ${count(fused.kernels)}.`;
