/** @file A step in words: for the line above the staircase, for tooltips and for screen readers. */
import { settled, type Compilation, type Step } from "../../../fusion";
import { stepNames } from "../../../picture";
import { count } from "../units";

export const isForced = (step: Step): boolean => settled(step).code === "U_FORCE";

/** `refused`, `accepted`, `forced`. */
export const outcomeOf = (step: Step): string =>
  isForced(step) && step.accepted ? "forced" : step.accepted ? "accepted" : "refused";

/** `row groups` and `mean → centre refused`, after the bold `Step 10 of 18`. */
export function stepSentence(compilation: Compilation, step: Step, passTitle: string): { pass: string; about: string } {
  return {
    pass: passTitle.charAt(0).toLowerCase() + passTitle.slice(1),
    about: `${stepNames(compilation, step)} ${outcomeOf(step)}`,
  };
}

/** What a screen reader hears: the outcome first, then the reason. */
export function stepAnnouncement(compilation: Compilation, step: Step): string {
  const about = stepNames(compilation, step).replaceAll(" → ", " into ");
  return `Step ${count(step.seq)} of ${count(compilation.steps.length)}, ${outcomeOf(step)}: ${about}. ${settled(step).text.replaceAll("`", "")}`;
}
