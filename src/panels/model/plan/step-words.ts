/** @file A step in words: for the line above the staircase, for tooltips and for screen readers. */
import { settled, titleOf, type Compilation, type CompileOptions, type ReasonCode, type Step } from "../../../fusion";
import { stepNames } from "../../../picture";
import { count } from "../units";

export const isForced = (step: Step): boolean => settled(step).code === "U_FORCE";

/** `refused`, `accepted`, `forced`. */
export const outcomeOf = (step: Step): string =>
  isForced(step) && step.accepted ? "forced" : step.accepted ? "accepted" : "refused";

/** How many steps have one reason: the bold answer of their cards, and what came of them. */
export interface ReasonCount {
  /** `It saves a launch, accepted`. */
  readonly title: string;
  readonly codes: readonly ReasonCode[];
  readonly steps: number;
}

/** Steps counted by reason, by its title, in the order in which reasons come up. */
export function reasonCounts(steps: readonly Step[]): ReadonlyMap<string, ReasonCount> {
  const counts = new Map<string, ReasonCount>();
  for (const step of steps) {
    const title = `${titleOf(step).replace(/\.$/, "")}, ${outcomeOf(step)}`;
    const before = counts.get(title);
    const codes = [...new Set([...(before?.codes ?? []), settled(step).code])];
    counts.set(title, { title, codes, steps: (before?.steps ?? 0) + 1 });
  }
  return counts;
}

/** `row groups` and `mean → centre refused`, after the bold `Step 10 of 18`. */
export function stepSentence(compilation: Compilation, step: Step, passTitle: string): { pass: string; about: string } {
  return {
    pass: passTitle.charAt(0).toLowerCase() + passTitle.slice(1),
    about: `${stepNames(compilation, step)} ${outcomeOf(step)}`,
  };
}

/** Why nothing was decided: no pass ran, or none found anything to do. */
export function noSteps({ level, disabledPasses }: Pick<CompileOptions, "level" | "disabledPasses">): string {
  if (level === 0) return "Level 0 runs no pass. Choose a higher level in Options.";
  return disabledPasses.length > 0 ? "The passes that run find nothing to fuse here." : "Nothing to fuse here.";
}

/** What a screen reader hears: the outcome first, then the reason. */
export function stepAnnouncement(compilation: Compilation, step: Step): string {
  const about = stepNames(compilation, step).replaceAll(" → ", " into ");
  return `Step ${count(step.seq)} of ${count(compilation.steps.length)}, ${outcomeOf(step)}: ${about}. ${settled(step).text.replaceAll("`", "")}`;
}
