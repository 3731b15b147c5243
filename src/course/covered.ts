/** @file What of the score stays covered while a lesson is read: what a question still to come on the shown program asks for. */
import type { Ask, LessonStep } from "./lesson";

/** `end`: the numbers after the last step; `all`: those of the naive plan and of the shown step as well. */
export type CoveredCounts = "nothing" | "end" | "all";

const coveredBy = (ask: Ask): CoveredCounts => (ask.kind === "number" && /\bnaive\./.test(ask.answer) ? "all" : "end");

/** Counts that the text of a step gives away, in braces: of the naive plan, or of the fused one. */
const TELLS_NAIVE = /\{[^}]*(?<!beside\.)\bnaive\.\w/;
const TELLS_END = /\{[^}]*(?<![\w.:])(?:kernels|transfers|large|bytes|peak|micros|flops|saved)\b/;

const tells = ({ paragraphs }: LessonStep, what: RegExp): boolean => paragraphs.some((text) => what.test(text));

/** Where the cursor stands when a step is opened: what is absent stays as it was. */
const positionAt = (steps: readonly LessonStep[], index: number) =>
  steps.slice(0, index + 1).findLast(({ show }) => show?.at !== undefined)?.show?.at;

/** `isAnswered`: whether the question of a step has been, so that its numbers are known. */
export function coveredAt(
  steps: readonly LessonStep[],
  index: number,
  isAnswered: (step: number) => boolean,
): CoveredCounts {
  let naiveTold = false;
  for (let at = index; at < steps.length; at++) {
    const step = steps[at]!;
    const isAnotherProgram = step.show?.program !== undefined || step.show?.example !== undefined;
    if (at > index && isAnotherProgram) return "nothing";
    if (step.ask && !isAnswered(at)) {
      const covered = coveredBy(step.ask);
      return covered === "all" && naiveTold ? "end" : covered;
    }
    // A step that shows the end, or tells it, leaves nothing to ask for; after a task it is another program.
    if (step.task || positionAt(steps, at) === "end" || tells(step, TELLS_END)) return "nothing";
    naiveTold ||= tells(step, TELLS_NAIVE) || step.ask !== undefined;
  }
  return "nothing";
}
