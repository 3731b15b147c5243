/** @file How memory and traffic of both plans grow with a constant of the program. */
import type { SizesState } from "../../state";
import { count, showBytes, significant } from "./units";

type Row = NonNullable<SizesState["rows"]>[number];

export interface Curve {
  readonly plan: "naive" | "fused";
  /** Shares of the chart's width and height, 0 to 1, both logarithmic; the second from the bottom. */
  readonly points: readonly (readonly [number, number])[];
  /** At the largest size. */
  readonly end: string;
}

const peak = ({ peakBytes }: Row["naive"]): number => peakBytes;

/** Exponent p of bytes ~ N^p between the two largest sizes. */
export function exponentOf(rows: readonly Row[], plan: Curve["plan"]): number {
  const [before, last] = [rows.at(-2)!, rows.at(-1)!];
  return Math.log(peak(last[plan]) / peak(before[plan])) / Math.log(last.value / before.value);
}

/** Both curves of peak memory; none for fewer than two sizes. */
export function growthCurves(rows: readonly Row[]): readonly Curve[] {
  if (rows.length < 2) return [];
  const all = rows.flatMap(({ naive, fused }) => [peak(naive), peak(fused)]);
  const [low, high] = [Math.log(Math.min(...all)), Math.log(Math.max(...all))];
  const [first, last] = [Math.log(rows[0]!.value), Math.log(rows.at(-1)!.value)];
  const at = (value: number, bytes: number): readonly [number, number] => [
    (Math.log(value) - first) / (last - first),
    high === low ? 0.5 : (Math.log(bytes) - low) / (high - low),
  ];
  return (["naive", "fused"] as const).map((plan) => ({
    plan,
    points: rows.map((row) => at(row.value, peak(row[plan]))),
    end: showBytes(peak(rows.at(-1)![plan])),
  }));
}

/** `At N = 8,192 the naive plan holds 1.01 GiB and grows like N^1.99; the fused one 8 MiB, like N^1.` */
export function growthSentence(rows: readonly Row[], name: string): string {
  const last = rows.at(-1)!;
  const [naive, fused] = (["naive", "fused"] as const).map((plan) => significant(exponentOf(rows, plan), 3));
  return `At ${name} = ${count(last.value)} the naive plan holds ${showBytes(peak(last.naive))} and grows like ${name}^${naive}; the fused one ${showBytes(peak(last.fused))}, like ${name}^${fused}.`;
}
