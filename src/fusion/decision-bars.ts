/** @file A decision as bars: its alternatives by what chose among them, or a value against its limit; and in words beside them. One source for card, list and presenter. */
import {
  showBytes,
  showCount,
  showMicros,
  type Alternative,
  type Criterion,
  type Limit,
  type Step,
  type StepCost,
  type Sums,
} from "./ir";
import { bytesAlike, timesAlike } from "./decision-titles";
import { settled } from "./settled";

export interface Bar {
  /** `one kernel`, `needed`, `allowed` … */
  readonly what: string;
  /** 0 to 1 of the longest in the group. */
  readonly part: number;
  readonly text: string;
  readonly chosen: boolean;
}

export interface BarGroup {
  /** `Predicted time of these kernels`, `registers per thread` … */
  readonly title: string;
  /** Whether it is this group that decided. */
  readonly decides: boolean;
  readonly bars: readonly Bar[];
}

type Value = readonly [what: string, value: number, text: string, chosen: boolean];

function groupOf(title: string, decides: boolean, values: readonly Value[]): BarGroup | null {
  const longest = values.reduce((most, [, value]) => Math.max(most, value), 0);
  if (longest === 0) return null;
  return {
    title,
    decides,
    bars: values.map(([what, value, text, chosen]) => ({ what, part: value / longest, text, chosen })),
  };
}

const limitText = (value: number, { unit }: Limit): string =>
  unit === "B"
    ? showBytes(value)
    : `${showCount(Number.isInteger(value) ? value : Number(value.toPrecision(3)))}${unit === "" ? "" : ` ${unit}`}`;

/** `registers per thread: 68, at most 64`; `registers per thread: 8 of 64`. */
export function limitWords(limit: Limit): string {
  const [value, most] = [limitText(limit.value, limit), limitText(limit.limit, limit)];
  return `${limit.what}: ${value}${limit.value > limit.limit ? ", at most" : " of"} ${most}`;
}

const limitGroup = (limit: Limit): BarGroup | null =>
  groupOf(limit.what.charAt(0).toUpperCase() + limit.what.slice(1), true, [
    ["needed", limit.value, limitText(limit.value, limit), false],
    ["allowed", limit.limit, limitText(limit.limit, limit), false],
  ]);

/** None where all take the same time: there is nothing to compare. */
function timeGroup(alternatives: readonly Alternative[], decides: boolean): BarGroup | null {
  const values = alternatives.map(({ what, micros, chosen }): Value => [what, micros, showMicros(micros), chosen]);
  return timesAlike(alternatives) ? null : groupOf("Predicted time of these kernels", decides, values);
}

const byteGroup = (title: string, alternatives: readonly Alternative[]): BarGroup | null =>
  groupOf(
    title,
    true,
    alternatives.map(({ what, bytes, chosen }) => [what, bytes, showBytes(bytes), chosen]),
  );

/** The bars of a decision, what decided first; none where nothing was compared. */
export function barsOf(step: Pick<Step, "legal" | "profitable" | "cost">): readonly BarGroup[] {
  const { limit } = settled(step);
  const { alternatives = [] } = step.cost ?? {};
  const criterion = step.cost ? shownCriterion(step.cost) : "limit";
  const groups = ((): (BarGroup | null)[] => {
    switch (criterion) {
      case "time":
        return [timeGroup(alternatives, true)];
      case "bytes":
        return [byteGroup("Memory traffic of these kernels", alternatives), timeGroup(alternatives, false)];
      case "none":
        return [];
      case "memory":
        return [byteGroup("Saved for the backward pass", alternatives), timeGroup(alternatives, false)];
      case "choice":
        return [limit ? limitGroup(limit) : null, timeGroup(alternatives, false)];
      case "limit":
        return [limit ? limitGroup(limit) : null];
      case "algebra":
        return [];
    }
  })();
  return groups.filter((group) => group !== null);
}

/** `none`: all ways take the same time and move the same bytes, so that the simpler one was taken. */
type ShownCriterion = Criterion | "none";

/** What decided, as far as it can be read: of equal times, the bytes did. */
function shownCriterion({ criterion, alternatives }: StepCost): ShownCriterion {
  if (criterion !== "time" || !timesAlike(alternatives)) return criterion;
  return bytesAlike(alternatives) ? "none" : "bytes";
}

/** What decided, as a badge says it. */
const criterionWords: Readonly<Record<ShownCriterion, string>> = {
  none: "equal by predicted time",
  time: "by predicted time",
  bytes: "by memory traffic",
  memory: "by memory saved",
  limit: "by a limit",
  choice: "your choice",
  algebra: "a rewrite",
};

/** What decided a step, as a badge says it; null where nothing was priced. */
export const criterionOf = ({ cost }: Pick<Step, "cost">): string | null =>
  cost && criterionWords[shownCriterion(cost)];

/** What a step's reason answers: `Why fused?`, `Why not rewritten?`. */
export function questionOf(step: Pick<Step, "kind" | "accepted">): string {
  if (step.kind === "graph") return step.accepted ? "Why rewritten?" : "Why not rewritten?";
  if (step.kind === "split") return step.accepted ? "Why split?" : "Why not split?";
  return step.accepted ? "Why fused?" : "Why not fused?";
}

/** What asks for a step's remedy. */
export const remedyQuestionOf = ({ kind }: Pick<Step, "kind">): string =>
  kind === "graph" || kind === "split" ? "What would change that?" : "What would make it fuse?";

/** One answer of a decision, as a mark and words; the person's own has no mark. */
export interface VerdictWords {
  readonly ok: boolean | null;
  readonly text: string;
}

/** Whether it can be done, and then whether it is worth it or who chose it. */
export function verdictsOf(step: Pick<Step, "legal" | "profitable" | "cost">): readonly VerdictWords[] {
  const { legal, profitable } = step;
  const allowed = { ok: legal.ok, text: legal.ok ? "Allowed" : "Not allowed" };
  if (step.cost?.criterion === "choice" || settled(step).code.startsWith("U_"))
    return [allowed, { ok: null, text: "Your choice" }];
  if (!profitable) return [allowed];
  const { alternatives = [] } = step.cost ?? {};
  const worth = step.cost && timesAlike(alternatives) && bytesAlike(alternatives) ? "Costs nothing" : "Worth it";
  const not = step.cost?.criterion === "limit" ? "Past a limit" : "Not worth it";
  return [allowed, { ok: profitable.ok, text: profitable.ok ? worth : not }];
}

/** That a limit refuses what is predicted to be faster; null of every other step. */
export function limitNote({ accepted, cost }: Pick<Step, "accepted" | "cost">): string | null {
  const [without, withIt] = cost?.alternatives ?? [];
  if (accepted || cost?.criterion !== "limit" || !without || !withIt) return null;
  const [before, after] = [showMicros(without.micros), showMicros(withIt.micros)];
  return withIt.micros < without.micros && before !== after
    ? `The limit decides, not the predicted time, which would fall: ${after} instead of ${before}.`
    : null;
}

/** Why more transfers of full size are left after a step than before it; null where there are not. */
export function riseOf(before: Sums, after: Sums): string | null {
  if (after.fullSizeTransfers <= before.fullSizeTransfers) return null;
  const rise = `Full-size transfers rise from ${showCount(before.fullSizeTransfers)} to ${showCount(after.fullSizeTransfers)}`;
  return after.bytes > before.bytes
    ? `${rise}: the plan moves ${showBytes(after.bytes - before.bytes)} more.`
    : `${rise} all the same: smaller transfers, joined, now reach full size, a quarter of the largest tensor.`;
}

/** What came of it. */
export const acceptedWords = (accepted: boolean): VerdictWords => ({
  ok: accepted,
  text: accepted ? "Accepted" : "Refused",
});
