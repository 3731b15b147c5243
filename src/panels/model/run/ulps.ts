/** @file Histograms of differences as rows of a small table: who is how many steps from whom. */
import { binRange, type NodeId, type UlpHistogram } from "../../../fusion";
import type { CheckRow, FullComparison } from "../../../state";
import { PLAN_NAMES, planTitle } from "./run-types";
import { count } from "../units";

export interface UlpColumn {
  /** `naive`, `fused`, `fused − naive` */
  readonly title: string;
  readonly fused: boolean;
  readonly ulps: UlpHistogram;
}

export interface UlpLine {
  /** `0`, `1`, `2–3`, `near 0`, `NaN` */
  readonly words: string;
  readonly cells: readonly { readonly held: number; readonly share: number }[];
}

export interface UlpTable {
  readonly output: NodeId;
  readonly columns: readonly UlpColumn[];
  readonly lines: readonly UlpLine[];
}

function rangeWords(bin: number): string {
  const [least, most] = binRange(bin);
  return least === most ? count(least) : `${count(least)}–${count(most)}`;
}

/** Length of a bar: rare differences are the point, so that ten times as many are one step longer. */
const shareOf = (held: number, most: number): number => (held === 0 ? 0 : Math.log10(1 + held) / Math.log10(1 + most));

/** One table for each output that was compared; rows that no column holds anything in are left out, except between others. */
export function ulpTables(
  all: readonly CheckRow[],
  full: readonly Pick<FullComparison, "plan" | "output" | "ulps">[],
): UlpTable[] {
  const rows = all.filter(({ kernel }) => kernel === undefined);
  return [...new Set([...rows, ...full].map(({ output }) => output))].flatMap((output) => {
    const columns = [
      ...PLAN_NAMES.flatMap((plan): UlpColumn[] => {
        const ulps = rows.find((row) => row.output === output && row.plan === plan)?.ulps;
        return ulps ? [{ title: planTitle(plan), fused: plan === "fused", ulps }] : [];
      }),
      ...full
        .filter((each) => each.plan === "fused" && each.output === output)
        .map(({ ulps }) => ({ title: "fused − naive", fused: true, ulps })),
    ];
    if (columns.length === 0) return [];
    return [{ output, columns, lines: linesOf(columns) }];
  });
}

function linesOf(columns: readonly UlpColumn[]): UlpLine[] {
  const depth = Math.max(...columns.map(({ ulps }) => ulps.bins.length));
  const most = Math.max(1, ...columns.flatMap(({ ulps }) => [...ulps.bins, ulps.nearZero, ulps.nan]));
  const line = (words: string, of: (ulps: UlpHistogram) => number): UlpLine => ({
    words,
    cells: columns.map(({ ulps }) => ({ held: of(ulps), share: shareOf(of(ulps), most) })),
  });
  const bins = Array.from({ length: depth }, (_, bin) => line(rangeWords(bin), (ulps) => ulps.bins[bin] ?? 0));
  const rest = [line("near 0", ({ nearZero }) => nearZero), line("NaN on one side", ({ nan }) => nan)];
  return [...bins, ...rest.filter(({ cells }) => cells.some(({ held }) => held > 0))];
}
