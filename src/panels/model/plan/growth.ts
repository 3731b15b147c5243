/** @file How peak memory and traffic of both plans grow with a constant of the program. */
import { constantsOf, type SizeRow } from "../../../fusion";
import { count, showBytes, significant } from "../units";

export interface Curve {
  readonly plan: "naive" | "fused";
  /** Shares of the chart's width and height, 0 to 1, both logarithmic; the second from the bottom. */
  readonly points: readonly (readonly [number, number])[];
  /** At the largest size. */
  readonly end: string;
}

/** What grows, as charts are titled. */
export const grown = { peakBytes: "Peak memory", bytes: "Traffic" } as const;
export type Grown = keyof typeof grown;
export const growths: readonly Grown[] = ["peakBytes", "bytes"];
const verbs: Readonly<Record<Grown, string>> = { peakBytes: "holds", bytes: "moves" };

/** Exponent p of bytes ~ N^p between the two largest sizes. */
export function exponentOf(rows: readonly SizeRow[], plan: Curve["plan"], what: Grown = "peakBytes"): number {
  const [before, last] = [rows.at(-2)!, rows.at(-1)!];
  return Math.log(last[plan][what] / before[plan][what]) / Math.log(last.value / before.value);
}

/** Both curves; none for fewer than two sizes. */
export function growthCurves(rows: readonly SizeRow[], what: Grown = "peakBytes"): readonly Curve[] {
  if (rows.length < 2) return [];
  const all = rows.flatMap(({ naive, fused }) => [naive[what], fused[what]]);
  const [low, high] = [Math.log(Math.min(...all)), Math.log(Math.max(...all))];
  const [first, last] = [Math.log(rows[0]!.value), Math.log(rows.at(-1)!.value)];
  const at = (value: number, bytes: number): readonly [number, number] => [
    (Math.log(value) - first) / (last - first),
    high === low ? 0.5 : (Math.log(bytes) - low) / (high - low),
  ];
  return (["naive", "fused"] as const).map((plan) => ({
    plan,
    points: rows.map((row) => at(row.value, row[plan][what])),
    end: showBytes(rows.at(-1)![plan][what]),
  }));
}

/** `At N = 8,192 the naive plan holds 1.01 GiB and grows like N^1.99; the fused one 8 MiB, like N^1.` */
export function growthSentence(rows: readonly SizeRow[], name: string, what: Grown = "peakBytes"): string {
  const last = rows.at(-1)!;
  const [naive, fused] = (["naive", "fused"] as const).map((plan) => significant(exponentOf(rows, plan, what), 3));
  return `At ${name} = ${count(last.value)} the naive plan ${verbs[what]} ${showBytes(last.naive[what])} and grows like ${name}^${naive}; the fused one ${showBytes(last.fused[what])}, like ${name}^${fused}.`;
}

/** The constant that sizes are asked about: `preferred` where the text names it, else its first one. */
export function sizeName(text: string, preferred = ""): string | undefined {
  const constants = constantsOf(text);
  return constants.has(preferred) ? preferred : constants.keys().next().value;
}
