/** @file Predict first, as a mode of the page: what the planner found stays covered until somebody guesses, and a tally counts their guesses. */
import { coveredAt, type CoveredCounts } from "../../course/files";
import type { Slice } from "./slice-context";
import type { PlaygroundState } from "../types";
import type { Guesses } from "./slice-states";

export const NO_GUESSES: Guesses = { of: null, end: null, known: 0, last: null, right: 0, asked: 0 };

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
