/** @file A decision as bars: its alternatives by what chose among them, or a value against its limit. One source for card, list and presenter. */
import {
  clearlyLess,
  showBytes,
  showCount,
  showMicros,
  type Alternative,
  type Criterion,
  type Limit,
  type Step,
  type StepCost,
  type Sums,
  type Verdict,
} from "./ir";
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

/** As they are written: what reads alike was no reason to choose. */
const readAlike = (texts: readonly string[]): boolean => new Set(texts).size <= 1;
const timesAlike = (all: readonly Alternative[]): boolean => readAlike(all.map(({ micros }) => showMicros(micros)));
const bytesAlike = (all: readonly Alternative[]): boolean => readAlike(all.map(({ bytes }) => showBytes(bytes)));

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

const TITLES: Readonly<Record<Verdict["code"], string>> = {
  A_BYTES: "It saves memory traffic.",
  A_LAUNCH: "It saves a launch.",
  A_VIEW: "A view costs nothing.",
  A_PATTERN: "An equivalent form.",
  L_CYCLE: "It would create a cycle.",
  L_SHAPE: "Different loops.",
  L_INDEX: "Different elements.",
  L_OPAQUE: "An opaque op.",
  L_EFFECT: "An op with a side effect.",
  L_ROOT: "Needed in memory.",
  L_TWO_CONTRACT: "More than one matmul.",
  L_REDUCE_REDUCE: "A reduction of a reduction.",
  L_ROW_NOT_OWNED: "Reduction boundary.",
  L_DTYPE: "Type not available.",
  L_STRICT: "Strict arithmetic.",
  L_SAVED: "The backward pass needs it.",
  L_NOT_CONST: "Not a constant.",
  L_BINDINGS: "Too many buffers.",
  L_WGMEM: "Too little memory on chip.",
  C_NEGATIVE: "Nothing gained.",
  C_RECOMPUTE: "Recomputing costs more.",
  C_REGISTERS: "Too many registers.",
  C_CODE_SIZE: "Too many ops.",
  C_COMPILE_BUDGET: "Too long to compile.",
  C_PEAK_MEMORY: "Too much memory at once.",
  C_LIBRARY: "The matmul stays separate.",
  C_PARALLELISM: "Too few workgroups.",
  C_BEATEN: "Another way is better.",
  U_USER_BARRIER: "Your choice.",
  U_FORCE: "Your choice.",
};
/** What a code stands for, without the numbers of a case; docs/reason-codes.md lists the same words. */
export const reasonTitles = TITLES;

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

/** The bold answer of a decision: its code in the case at hand. */
export function titleOf(step: Pick<Step, "legal" | "profitable" | "cost">): string {
  const { code, limit, numbers } = settled(step);
  const [without, withIt] = step.cost?.alternatives ?? [];
  if (code === "A_PATTERN" && step.cost === null) return "A known pattern.";
  if (!without || !withIt) return TITLES[code];
  // As far as it is written: the bars below say the same.
  const slower = withIt.micros > without.micros && showMicros(withIt.micros) !== showMicros(without.micros);
  if (code === "A_BYTES" && step.cost!.criterion === "memory")
    return slower ? "It saves memory, and costs time." : "It saves memory.";
  // What costs nothing may save something all the same: a copy that is never made.
  if (code === "A_VIEW" && !(timesAlike([without, withIt]) && bytesAlike([without, withIt])))
    return "A view instead of a copy.";
  // Hardly fewer bytes: the launch, or the time, is what the sentence tells.
  if (code === "A_BYTES" && !clearlyLess(withIt.bytes, without.bytes))
    return withIt.launches < without.launches ? TITLES.A_LAUNCH : "It saves time.";
  // What saves more of the time stands first.
  if (
    code === "A_BYTES" &&
    2 * (numbers?.["launchMicros"] ?? 0) > without.micros - withIt.micros &&
    step.cost!.criterion === "time"
  )
    return withIt.launches + 1 < without.launches
      ? "It saves launches and memory traffic."
      : "It saves a launch and memory traffic.";
  if (code === "A_LAUNCH" && withIt.launches >= without.launches) return "It saves time.";
  if (code === "L_BINDINGS" && withIt.chosen) return "Too large to store.";
  if (code === "C_RECOMPUTE" && limit) return "Recomputed too often.";
  if (code === "C_NEGATIVE" && limit) return "It would load more.";
  if (code === "C_NEGATIVE" && step.cost!.criterion === "bytes") return "It would move more bytes.";
  if (code === "C_NEGATIVE" && slower) return "Slower together.";
  return TITLES[code];
}
