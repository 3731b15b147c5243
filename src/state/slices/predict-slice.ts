/** @file Predict first, as a mode of the page: what the planner found stays covered until somebody guesses, and a tally counts their guesses. */
import type { Ask, LessonStep } from "../../course";
import type { Slice } from "./slice-context";
import type { PlaygroundState } from "../types";
import type { Guesses } from "./slice-states";

export const NO_GUESSES: Guesses = { of: null, end: null, known: 0, last: null, right: 0, asked: 0 };

/** `end`: the numbers after the last step; `all`: those of the naive plan and of the shown step as well. */
export type CoveredCounts = "nothing" | "end" | "all";

const coveredBy = (ask: Ask): CoveredCounts => (ask.kind === "number" && /\bnaive\./.test(ask.answer) ? "all" : "end");

/** Counts that the text of a step gives away, in braces: of the naive plan, or of the fused one. */
const TELLS_NAIVE = /\{[^}]*(?<!beside\.)\bnaive\.\w/;
const TELLS_END = /\{[^}]*(?<![\w.:])(?:kernels|transfers|large|bytes|peak|micros|flops|saved)\b/;

const tells = ({ paragraphs }: LessonStep, what: RegExp): boolean => paragraphs.some((text) => what.test(text));

/** The picture that a step opens with: where it says nothing, a program opens at its end, and the last picture stays. */
const isAtEnd = (steps: readonly LessonStep[], index: number): boolean =>
  steps.slice(0, index + 1).reduce((before, { show }) => {
    const opens = show?.program !== undefined || show?.example !== undefined;
    return show?.at === undefined ? opens || before : show.at === "end";
  }, true);

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
    if (step.task || isAtEnd(steps, at) || tells(step, TELLS_END)) return "nothing";
    naiveTold ||= tells(step, TELLS_NAIVE) || step.ask !== undefined;
  }
  return "nothing";
}

type Read = Pick<PlaygroundState, "predict" | "guesses" | "lesson" | "derived" | "embed">;

/** The guesses about the shown plan, as far as they are about it; null where the mode is off, or a lesson asks its own questions. */
export function selectGuesses({ predict, guesses, lesson, derived, embed }: Read): Guesses | null {
  if (!predict || lesson || embed) return null;
  return guesses.of === derived.compilation ? guesses : { ...guesses, of: null, end: null, known: 0, last: null };
}

/** A lesson's question waits for its answer, or the answer for the plan. */
export function selectLessonAsks({ lesson }: Pick<PlaygroundState, "lesson">): boolean {
  if (!lesson?.content.steps[lesson.step]?.ask) return false;
  return !lesson.answers.get(lesson.step)?.judgement;
}

/** Which numbers of the score stay covered: those that a lesson asks for, in this step or a later one, or that one predicts. */
export function selectCovered(state: Read): CoveredCounts {
  const { lesson } = state;
  if (lesson)
    return coveredAt(lesson.content.steps, lesson.step, (step) => Boolean(lesson.answers.get(step)?.judgement));
  const guesses = selectGuesses(state);
  return guesses !== null && guesses.end === null ? "end" : "nothing";
}

const stepsOf = ({ derived }: Read): number => derived.compilation?.steps.length ?? 0;

/** Decisions whose verdict may be read, from the first on. */
export const selectKnown = (state: Read): number =>
  selectLessonAsks(state) ? 0 : (selectGuesses(state)?.known ?? stepsOf(state));

/** Decisions whose verdict is shown: of what a later step of a lesson asks for, only those that the page has come to. */
export const selectTold = (state: Read & Pick<PlaygroundState, "cursor">): number => {
  const known = selectKnown(state);
  return state.lesson && selectCovered(state) !== "nothing" ? Math.min(known, state.cursor) : known;
};

/** How many decisions the cursor may be past. */
export const selectReach = (state: Read): number =>
  selectLessonAsks(state) ? (state.lesson?.reach ?? stepsOf(state)) : (selectGuesses(state)?.known ?? stepsOf(state));

/** Something of what the planner found is covered. */
export const selectIsCovered = (state: Read): boolean =>
  selectCovered(state) !== "nothing" || selectKnown(state) < stepsOf(state);

export const predictSlice: Slice<"togglePredict" | "guess" | "showAllSteps"> = (context) => {
  const know = (change: Partial<Guesses>, known: number): void => {
    const { compilation } = context.get().derived;
    const guesses = selectGuesses(context.get());
    if (guesses && compilation) context.set({ guesses: { ...guesses, ...change, of: compilation, known } });
    context.get().actions.stepTo(known);
  };
  return {
    togglePredict() {
      const predict = !context.get().predict;
      context.set({ predict, guesses: NO_GUESSES, intro: null, playing: false });
      if (predict && !context.get().lesson) context.set({ cursor: 0, selection: { kind: "none" } });
    },
    guess(last) {
      const guesses = selectGuesses(context.get());
      if (!guesses) return;
      // Who cannot tell has not guessed: the answer is shown, and nothing counted.
      const asked = guesses.asked + (last.said === null ? 0 : 1);
      const tally = { last, right: guesses.right + (last.right ? 1 : 0), asked };
      if (last.question.kind === "end") know({ ...tally, end: last }, guesses.known);
      else know(tally, guesses.known + 1);
    },
    showAllSteps: (end) => know({ end, last: null }, stepsOf(context.get())),
  };
};
