/** @file From what was handed in to the rows of the board: one for each person, adapters, predictions. Pure. */
import { csvOf, spreadOf } from "../../panels";
import type { CourseProgress } from "../../state";
import { courseTally, STANDINGS, type HandIn, type LaptopResult, type Standing, type TimeResult } from "../hand-in";
import { STANDING_WORDS } from "../check/verdict";

export interface ClassRow {
  /** As written, or a number for who wrote none. */
  readonly name: string;
  readonly when: number;
  readonly laptop: LaptopResult | null;
  readonly times: readonly TimeResult[];
  readonly course: CourseProgress;
  readonly right: number;
  readonly asked: number;
  readonly solved: number;
  /** naive / fused of the bench; null on a software adapter, and where one of them is missing. */
  readonly speedUp: number | null;
  /** What it was made of. */
  readonly fragments: readonly string[];
}

/** Of one person, the newest laptop and times, and the newest progress. */
function merged(parts: readonly (readonly [string, HandIn])[]): Omit<ClassRow, "name"> {
  const newest = parts.toSorted(([, a], [, b]) => b.when - a.when);
  const withLaptop = newest.find(([, { laptop }]) => laptop !== null)?.[1];
  const course = newest.find(([, each]) => each.course.size > 0)?.[1].course ?? new Map();
  const { laptop = null, times = newest[0]![1].times } = withLaptop ?? {};
  const [bench] = times;
  const naive = laptop?.standing === "ready" ? bench?.naive : null;
  return {
    when: newest[0]![1].when,
    laptop,
    times,
    course,
    ...courseTally(course),
    speedUp: naive && bench?.fused ? naive / bench.fused : null,
    fragments: parts.map(([fragment]) => fragment),
  };
}

/** One row for each name, in the order in which they came; results without a name are apart from one another. */
export function classRows(handed: readonly (readonly [string, HandIn])[]): ClassRow[] {
  const groups = new Map<string, (readonly [string, HandIn])[]>();
  for (const each of handed) {
    const key = each[1].name.toLowerCase() || each[0];
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  let nameless = 0;
  return [...groups.values()].map((parts) => ({
    name: parts[0]![1].name || `No name ${++nameless}`,
    ...merged(parts),
  }));
}

/** `28 laptops: 24 ready, 3 software adapter, 1 no WebGPU.` and the class's tally. */
export function classWords(rows: readonly ClassRow[]): string {
  const of = (standing: Standing): number => rows.filter(({ laptop }) => laptop?.standing === standing).length;
  const standings = STANDINGS.filter((standing) => of(standing) > 0).map(
    (each) => `${of(each)} ${STANDING_WORDS[each]}`,
  );
  const none = rows.filter(({ laptop }) => laptop === null).length;
  if (none > 0) standings.push(`${none} without a laptop's result`);
  const sum = (count: (row: ClassRow) => number): number => rows.reduce((total, row) => total + count(row), 0);
  const [right, asked, solved] = [sum((row) => row.right), sum((row) => row.asked), sum((row) => row.solved)];
  const predictions = asked > 0 ? ` Predictions: ${right} of ${asked} right.` : "";
  const tasks = solved > 0 ? ` Tasks solved: ${solved}.` : "";
  return `${rows.length} handed in: ${standings.join(", ")}.${predictions}${tasks}`;
}

export interface AdapterRow {
  readonly adapter: string;
  readonly laptops: number;
  /** Medians over its laptops, µs. */
  readonly naive: number;
  readonly fused: number;
  readonly software: boolean;
}

/** The bench by adapter, the fastest first; laptops without both times are left out. */
export function adapterRows(rows: readonly ClassRow[]): AdapterRow[] {
  const timed = rows.flatMap(({ laptop, times: [bench] }) =>
    laptop?.adapter && bench && bench.naive !== null
      ? [{ laptop, adapter: laptop.adapter, naive: bench.naive, fused: bench.fused }]
      : [],
  );
  const adapters = [...new Set(timed.map(({ adapter }) => adapter))];
  return adapters
    .map((adapter) => [adapter, timed.filter((each) => each.adapter === adapter)] as const)
    .map(([adapter, of]) => ({
      adapter,
      laptops: of.length,
      naive: spreadOf(of.map(({ naive }) => naive)).median,
      fused: spreadOf(of.map(({ fused }) => fused)).median,
      software: of.every(({ laptop }) => laptop.standing === "software"),
    }))
    .toSorted((a, b) => a.fused - b.fused);
}

export interface PredictionRow {
  readonly lesson: string;
  /** From 0. */
  readonly step: number;
  readonly right: number;
  readonly asked: number;
}

/** First answers by question, those with the smallest part of right ones first. */
export function predictionRows(rows: readonly ClassRow[]): PredictionRow[] {
  const counts = new Map<string, PredictionRow>();
  for (const { course } of rows)
    for (const [lesson, { answers }] of course)
      for (const [step, right] of Object.entries(answers)) {
        const key = `${lesson}/${step}`;
        const before = counts.get(key) ?? { lesson, step: Number(step), right: 0, asked: 0 };
        counts.set(key, { ...before, right: before.right + (right ? 1 : 0), asked: before.asked + 1 });
      }
  return [...counts.values()].toSorted((a, b) => a.right / a.asked - b.right / b.asked || b.asked - a.asked);
}

const HEAD = [
  "name",
  "handed in",
  "laptop",
  "browser",
  "system",
  "adapter",
  "features",
  "memory GB/s",
  "launch µs",
  "naive µs",
  "fused µs",
  "speed-up",
  "predictions right",
  "predictions asked",
  "tasks solved",
];

/** The board as comma-separated values, a head line first. */
export function boardCsv(rows: readonly ClassRow[]): string {
  const lines = rows.map(({ name, when, laptop, times: [bench], speedUp, right, asked, solved }) => [
    name,
    new Date(when).toISOString(),
    laptop && STANDING_WORDS[laptop.standing],
    laptop?.browser ?? null,
    laptop?.system ?? null,
    laptop?.adapter ?? null,
    laptop?.features.join(" ") ?? null,
    laptop?.roofs ? laptop.roofs.bandwidth / 1e9 : null,
    laptop?.roofs?.launchMicros ?? null,
    bench?.naive ?? null,
    bench?.fused ?? null,
    speedUp,
    right,
    asked,
    solved,
  ]);
  return csvOf([HEAD, ...lines]);
}
