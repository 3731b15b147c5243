/** @file Lessons, as far as the page knows of them before one is open. */
import { loadPart } from "../load-part";
import type { LessonRun } from "../runs/lesson-run";
import { COURSE_KEY } from "../storage/course-progress";
import type { Slice } from "./slice-context";

type Names =
  | "openLesson"
  | "goToStep"
  | "answer"
  | "showHint"
  | "askSolution"
  | "checkTask"
  | "closeLesson"
  | "judgeKept"
  | "forgetCourse"
  | "addProgress";

export const courseSlice: Slice<Names> = (context) => {
  /** Null until a lesson was wanted. */
  let run: LessonRun | null = null;
  const load = async (): Promise<LessonRun> => {
    const { startLessons } = await loadPart(() => import("../runs/lesson-run"));
    return (run ??= startLessons(context));
  };
  return {
    openLesson: async (id, step = 0) => (await load()).openLesson(id, step),
    goToStep: async (step) => run?.goToStep(step),
    answer: async (answer) => run?.answer(answer),
    checkTask: async () => run?.checkTask(),
    closeLesson: (replaced) => run?.closeLesson(replaced),
    async judgeKept() {
      const kept = [...context.get().courseProgress.values()];
      if (kept.some(({ said = {} }) => Object.keys(said).length > 0)) await (await load()).judgeKept();
    },
    addProgress: async (text) => (await load()).addProgress(text),
    showHint() {
      const { lesson } = context.get();
      if (lesson) context.set({ lesson: { ...lesson, hints: lesson.hints + 1 } });
    },
    askSolution() {
      const { lesson } = context.get();
      if (!lesson) return;
      context.set({ lesson: { ...lesson, solution: lesson.solution === "hidden" ? "asked" : "shown" } });
    },
    forgetCourse() {
      context.environment.storage.write(COURSE_KEY, "{}");
      context.set({ courseProgress: new Map() });
    },
  };
};
