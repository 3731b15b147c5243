/** @file Two plans beside each other: which state of each is shown, what differs, and by how much. */
import type { AlignedStep, ChangedDecision, Compilation, Step, Sums } from "../../../fusion";
import type { World } from "../../../document";
import { tallyOf } from "./score";
import { reasonCounts, type ReasonCount } from "./step-words";
import { showBytes, showFigures, showMicros, significant } from "../units";

/** The steps that a side takes. */
export const stepsOf = ({ steps }: Pick<Compilation, "steps">, { at }: Pick<World, "at">): readonly Step[] =>
  at === undefined ? steps : steps.slice(0, at);

/** How many steps of a side are applied when `shown` of the common ones are. */
export const cursorOf = (aligned: readonly AlignedStep[], side: "before" | "after", shown: number): number =>
  aligned.slice(0, shown).filter((each) => each[side] !== null).length;

/** Sums of the state after `cursor` steps. */
export const sumsAt = ({ steps, naivePlan }: Compilation, cursor: number): Sums | null =>
  steps[cursor - 1]?.totals ?? naivePlan?.totals ?? null;

/** The index in the common order of the next or previous difference, as the number of steps that shows it; null for none. */
export function nextDifference(aligned: readonly AlignedStep[], shown: number, direction: 1 | -1): number | null {
  const indices = aligned.flatMap(({ change }, i) => (change ? [i + 1] : []));
  const found = direction === 1 ? indices.find((at) => at > shown) : indices.findLast((at) => at < shown);
  return found ?? null;
}

/** Every decision that differs, once, with the index in the common order that shows it. */
export function differences(
  aligned: readonly AlignedStep[],
): readonly { readonly change: ChangedDecision; readonly shown: number }[] {
  const indices = new Map<ChangedDecision, number>();
  aligned.forEach(({ change }, i) => change && indices.set(change, i + 1));
  return [...indices].map(([change, shown]) => ({ change, shown }));
}

/** Sums of a state, and the peak of its plan; null while that is made. */
export interface ComparedTotals extends Sums {
  readonly peakBytes: number | null;
}

export interface ComparedRow {
  readonly name: string;
  readonly first: string;
  readonly second: string;
  /** `−18 MiB`, `0`, `+2`. */
  readonly change: string;
  /** Less is better in every row. */
  readonly tone: "less" | "more" | "same";
}

const signed = (change: number, shown: string): string => (change === 0 ? "0" : `${change < 0 ? "−" : "+"}${shown}`);

/** How far two figures of one unit are apart as they are written, so that the three add up; null for others. */
function between(first: string, second: string): string | null {
  const [a, b] = [first, second].map((text) => /^([\d,.]+)( \S+)?$/.exec(text));
  if (!a || !b || a[2] !== b[2]) return null;
  const [from, to] = [a, b].map(([, figures]) => Number(figures!.replaceAll(",", "")));
  return `${showFigures(Math.abs(to! - from!))}${a[2] ?? ""}`;
}

/**
 * Kernels, transfers, bytes, peak and predicted time of both, and what changes from the first to the second.
 * `time`: what the last row is called, where its machine has to be named.
 */
export function comparedRows(first: ComparedTotals, second: ComparedTotals, time = "Predicted time"): ComparedRow[] {
  const row = (
    name: string,
    value: (totals: ComparedTotals) => number,
    show: (value: number) => string,
    side = (of: ComparedTotals): string => show(value(of)),
  ): ComparedRow => {
    const [a, b] = [value(first), value(second)];
    const [left, right] = [side(first), side(second)];
    const change = left === right ? 0 : b - a;
    const tone = change === 0 ? "same" : change < 0 ? "less" : "more";
    const size = between(left, right) ?? show(Math.abs(change));
    return { name, first: left, second: right, change: signed(change, size), tone };
  };
  const tally = tallyOf(first, second);
  const counted = (value: number): string => significant(value, 6);
  const peak = (of: ComparedTotals): number => of.peakBytes ?? 0;
  const named = "Peak memory";
  const pending: ComparedRow = { name: named, first: "…", second: "…", change: "", tone: "same" };
  return [
    row("Kernels", (of) => of.kernels, counted),
    row(tally.title, tally.of, counted, tally.text),
    row("Memory traffic", (of) => of.bytes, showBytes),
    first.peakBytes === null || second.peakBytes === null ? pending : row(named, peak, showBytes),
    row(time, (of) => of.predictedMicros, showMicros),
  ];
}

export interface ReasonRow extends Pick<ReasonCount, "title" | "codes"> {
  /** Decisions that were settled by it. */
  readonly first: number;
  readonly second: number;
}

/** Reasons that settled another number of decisions on one side than on the other, those that differ most first. */
export function reasonRows(first: readonly Step[], second: readonly Step[]): ReasonRow[] {
  const [a, b] = [reasonCounts(first), reasonCounts(second)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((title): ReasonRow => {
      const [left, right] = [a.get(title), b.get(title)];
      const codes = [...new Set([...(left?.codes ?? []), ...(right?.codes ?? [])])];
      return { title, codes, first: left?.steps ?? 0, second: right?.steps ?? 0 };
    })
    .filter((row) => row.first !== row.second)
    .toSorted((one, other) => Math.abs(other.second - other.first) - Math.abs(one.second - one.first));
}

/** Bytes that the second side moves less for a decision that it took and the first did not; null where nothing was priced. */
export function bytesBetween({ before, after }: ChangedDecision): number | null {
  const moved = (taken: ChangedDecision["before"]): number | null => {
    const chosen = taken?.accepted ? taken.cost?.alternatives.find((each) => each.chosen) : undefined;
    return chosen ? taken!.cost!.alternatives[0]!.bytes - chosen.bytes : null;
  };
  const [old, fresh] = [moved(before), moved(after)];
  return old === null && fresh === null ? null : (fresh ?? 0) - (old ?? 0);
}
