/** @file A kernel's knobs in words, what its choices change, and a sweep as rows of a small chart. */
import { bytesOfKernel, type Kernel, type KnobName, type KnobOffer, type KnobSheet } from "../../../fusion";
import type { SweepState } from "../../../state";
import { occupancyOf, wgslLines } from "./kernel-card";
import { orderOf, spreadOf } from "../run/statistics";
import { showSpread } from "../run/timings";
import { eventsOf } from "../plan/traffic";
import { count, showBytes, showMicros, significant } from "../units";

const NAMES: Readonly<Record<KnobName, string>> = {
  threads: "Threads",
  turns: "Elements per thread",
  unroll: "Loop",
  vector: "vec4",
  rows: "Row loads",
  transposed: "Transposed reads",
  joined: "Combine threads",
  order: "Long rows",
  run: "Sorted runs",
  tile: "Tile",
};

const SENTENCES: Readonly<Record<KnobName, string>> = {
  threads: "Threads per workgroup",
  turns: "How many elements each thread computes, one after another",
  unroll: "Whether the loop over a thread's elements is unrolled",
  vector: "Whether a thread loads four neighbouring elements at once",
  rows: "How often a row is loaded, and by how many threads",
  transposed: "How a transposed operand is loaded",
  joined: "How the threads of a workgroup combine their partial results",
  order: "How a row that is too long for one workgroup is sorted",
  run: "How many elements a workgroup sorts before sorted runs are merged",
  tile: "The block that a workgroup computes at a time, and each thread's part of it",
};

const VALUES: Readonly<Partial<Record<KnobName, Readonly<Record<string, string>>>>> = {
  unroll: { on: "unrolled", off: "left as a loop" },
  vector: { on: "vec4", off: "one by one" },
  rows: {
    registers: "once, into registers",
    again: "on each pass",
    "one-pass": "on each pass, two passes merged",
    thread: "one thread per row",
  },
  transposed: { tile: "through workgroup memory", direct: "directly, with a stride" },
  joined: { tree: "tree in workgroup memory", subgroups: "subgroups" },
  order: {
    selected: "keep only the first few",
    merged: "sort runs, then merge",
    digits: "sort by one digit after another",
  },
};

export const knobTitle = (knob: KnobName): string => NAMES[knob];
export const knobSentence = (knob: KnobName): string => SENTENCES[knob];

/** `64`, `again on each pass`, `64×128×16, 8×8 each`; `2 vec4` where a thread computes `fours`. */
export function valueWords(knob: KnobName, value: string, fours = false): string {
  if (fours && knob === "turns") return `${value} vec4`;
  if (knob !== "tile") return VALUES[knob]?.[value] ?? value;
  const [tile = "", each = ""] = value.split("/");
  const rows = each.includes("x") ? `${each.replace("x", "×")} each` : `${each.replace("q", "")} rows each`;
  return `${tile.replaceAll("x", "×")}, ${rows}${each.endsWith("q") ? ", queries on chip" : ""}`;
}

export interface Refused {
  readonly code: string;
  readonly text: string;
  readonly remedy: string;
}

/** Why some values can't be, or why the planner has not taken them: each reason once, for the least that was asked for. */
export function refusalsOf({ values, why }: KnobOffer): Refused[] {
  const first = new Map<string, Refused>();
  for (const refusal of [...values.map((each) => each.refusal), why]) {
    if (!refusal || first.has(refusal.code)) continue;
    first.set(refusal.code, { code: refusal.code, text: refusal.text, remedy: refusal.remedy ?? "" });
  }
  return [...first.values()];
}

export interface KnobChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

const FACTS: readonly (readonly [string, (kernels: readonly Kernel[]) => string])[] = [
  ["Transfers", (kernels) => count(sum(kernels, eventsOf))],
  ["Traffic", (kernels) => showBytes(sum(kernels, bytesOfKernel))],
  ["Workgroups", (kernels) => kernels.map(({ workgroups }) => count(product(workgroups))).join(" + ")],
  ["Threads per workgroup", (kernels) => kernels.map(({ workgroupSize }) => count(product(workgroupSize))).join(" + ")],
  ["Workgroup memory", (kernels) => showBytes(Math.max(...kernels.map(({ workgroupBytes }) => workgroupBytes)))],
  ["Registers per thread", (kernels) => count(Math.max(...kernels.map(({ registers }) => registers)))],
  ["Occupancy", (kernels) => `${significant(100 * Math.min(...kernels.map(occupancyOf)), 2)} %`],
  ["Loads repeated by tiles", (kernels) => showBytes(sum(kernels, ({ modelledBytes }) => modelledBytes))],
  ["Predicted", (kernels) => showMicros(sum(kernels, ({ predictedMicros }) => predictedMicros))],
  ["Lines of WGSL", (kernels) => count(sum(kernels, wgslLines))],
];

const sum = (kernels: readonly Kernel[], of: (kernel: Kernel) => number): number =>
  kernels.reduce((total, kernel) => total + of(kernel), 0);
const product = (extents: readonly number[]): number => extents.reduce((total, extent) => total * extent, 1);

/** What differs from the planner's kernel; empty when nothing does. */
export const changesOf = ({ planned, now }: KnobSheet): KnobChange[] =>
  FACTS.flatMap(([name, say]) => {
    const [before, after] = [say(planned), say(now)];
    return before === after ? [] : [{ name, before, after }];
  });

export const wgslOf = (kernels: readonly Kernel[]): string => kernels.map(({ wgsl }) => wgsl.trimEnd()).join("\n\n");

export interface SweepRow {
  readonly value: string;
  readonly words: string;
  readonly median: string;
  readonly spread: string;
  /** Shares of the longest: the median, and where the middle half of the samples lies. */
  readonly share: number;
  readonly lower: number;
  readonly upper: number;
  /** Its time is less than that of every other value, as far as the samples show. */
  readonly best: boolean;
}

/** One row for each value that was timed, called as the knob calls it. */
export function sweepRows({ knob, outcome }: SweepState, fours: boolean): SweepRow[] {
  if (outcome.status !== "done") return [];
  const timed = outcome.rows.flatMap(({ value, nanoseconds }) =>
    nanoseconds.length === 0 ? [] : [{ value, measured: spreadOf(nanoseconds.map((each) => each / 1e3)) }],
  );
  const longest = Math.max(...timed.map(({ measured }) => measured.upper));
  return timed.map(({ value, measured }) => ({
    value,
    words: valueWords(knob, value, fours),
    ...showSpread(measured),
    share: measured.median / longest,
    lower: measured.lower / longest,
    upper: measured.upper / longest,
    best: timed.every((other) => other.value === value || orderOf(measured, other.measured) < 0),
  }));
}

/** Whether one value stands apart from all others: otherwise there is no winner to name. */
export const isClear = (rows: readonly SweepRow[]): boolean => rows.some((row) => row.best);
