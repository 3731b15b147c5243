/** @file The open lesson: which step is read, what was answered, and the progress that is stored on this machine. */
import type { Answer, Compare, Lesson } from "../../course";
import { defaultOptions, type Compilation } from "../../fusion";
import { handText, recordOf, type Document } from "../../document";
import { findExample, optionsFor } from "../../lessons";
import { loadPart } from "../load-part";
import type { Slice, SliceContext } from "./slice-context";
import type { Environment } from "../environment";
import { selectLessonAsks } from "./predict-slice";
import type { CourseProgress, LessonProgress, OpenLesson } from "./slice-states";

export const COURSE_KEY = "fusion-playground.course";

const NONE: LessonProgress = { furthest: 0, answers: {}, done: [], best: null };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isAnswer = (said: unknown): said is Answer =>
  isRecord(said) &&
  ((said["kind"] === "choice" && typeof said["index"] === "number") ||
    (said["kind"] === "number" && typeof said["value"] === "number") ||
    (said["kind"] === "click" && typeof said["name"] === "string"));

/** The entries of `value` that are of the kind wanted. */
const entriesOf = <T>(value: unknown, is: (one: unknown) => one is T): Record<string, T> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).flatMap(([key, one]) => (is(one) ? [[key, one]] : [])),
  );

function readProgress(value: unknown): LessonProgress {
  const { furthest, answers, said, done, best } = isRecord(value) ? value : {};
  return {
    furthest: typeof furthest === "number" ? furthest : 0,
    answers: entriesOf(answers, (right) => typeof right === "boolean"),
    said: entriesOf(said, isAnswer),
    done: Array.isArray(done) ? done.filter((step) => typeof step === "number") : [],
    best: typeof best === "number" ? best : null,
  };
}

/** The progress in a text that `writtenProgress` wrote; empty where it can't be read. */
export function parseProgress(text: string | null): CourseProgress {
  try {
    const stored: unknown = JSON.parse(text ?? "{}");
    return new Map(isRecord(stored) ? Object.entries(stored).map(([id, value]) => [id, readProgress(value)]) : []);
  } catch {
    return new Map();
  }
}

export const writtenProgress = (progress: CourseProgress): string => JSON.stringify(Object.fromEntries(progress));

export const storedProgress = (environment: Environment): CourseProgress =>
  parseProgress(environment.storage.read(COURSE_KEY));

/** Right and all first answers of a lesson. */
export const tally = ({ answers }: LessonProgress): { readonly right: number; readonly all: number } => {
  const said = Object.values(answers);
  return { right: said.filter(Boolean).length, all: said.length };
};

/** What is known of a lesson on two machines: the first answers of this one stay. */
const furtherOf = (own: LessonProgress, other: LessonProgress): LessonProgress => ({
  furthest: Math.max(own.furthest, other.furthest),
  answers: { ...other.answers, ...own.answers },
  done: [...new Set([...own.done, ...other.done])].toSorted((a, b) => a - b),
  best: own.best === null || other.best === null ? (own.best ?? other.best) : Math.min(own.best, other.best),
});

function record(context: SliceContext, id: string, change: (before: LessonProgress) => LessonProgress): void {
  const { courseProgress } = context.get();
  const next = new Map(courseProgress).set(id, change(courseProgress.get(id) ?? NONE));
  context.set({ courseProgress: next });
  context.environment.storage.write(COURSE_KEY, writtenProgress(next));
}

/** The picture of a question is the naive plan until it is answered, where the fused one would tell the answer. */
function cursorFor(lesson: OpenLesson, { steps }: Compilation, wanted: number | null): number {
  const { ask } = lesson.content.steps[lesson.step]!;
  const waits = ask?.kind !== "click" && selectLessonAsks({ lesson });
  const cursor = wanted ?? steps.length;
  return waits && cursor === steps.length ? 0 : cursor;
}

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
  let showing = new AbortController();

  /** The document that a picture asks for: a lesson's program, or an example. */
  const documentOf = (picture: { program: string | null; example: string | null; options: object }): Document => {
    const example = findExample(picture.example);
    return {
      text: picture.program ?? example?.text ?? "",
      positions: recordOf(),
      options: {
        ...(example ? optionsFor(example, defaultOptions, null, defaultOptions) : defaultOptions),
        ...picture.options,
      },
      example: example?.id ?? null,
    };
  };

  async function show(content: Lesson, step: number): Promise<void> {
    showing.abort();
    void judgeLeft(context.get().lesson, { content, step });
    showing = new AbortController();
    const { signal } = showing;
    const { besideOf, cursorOf, pictureOf } = await loadPart(() => import("../../course/files"));
    if (signal.aborted) return;
    const picture = pictureOf(content, step);
    const wanted = documentOf(picture);
    const { document, lesson } = context.get();
    const answers: OpenLesson["answers"] = lesson?.content === content ? lesson.answers : new Map();
    const changes =
      wanted.text !== document.text || JSON.stringify(wanted.options) !== JSON.stringify(document.options);
    if (changes) context.replace(wanted, "example");
    context.set({
      lesson: {
        content,
        step,
        program: wanted.text,
        compilation: null,
        beside: null,
        reach: 0,
        answers,
        hints: 0,
        solution: "hidden",
        task: null,
        best: null,
      },
      selection: { kind: "none" },
    });
    record(context, content.id, (before) => ({ ...before, furthest: Math.max(before.furthest, step) }));
    await context.until(
      ({ derived }) => derived.status === "ready" && derived.compilation?.text === wanted.text,
      signal,
    );
    const other = besideOf(content, step, wanted);
    const beside = other && (await context.get().actions.planOf(other.text, other.options));
    const { actions, derived } = context.get();
    const shown = context.get().lesson;
    if (signal.aborted || !derived.compilation || !shown) return;
    const reach = cursorFor(shown, derived.compilation, cursorOf(derived.compilation, picture.at));
    context.set({ lesson: { ...shown, compilation: derived.compilation, beside, reach } });
    actions.stepTo(reach);
    await settle();
    if (signal.aborted) return;
    if (picture.tab) {
      actions.showTab(picture.tab);
      // For this lesson only: what the person prefers stays stored.
      context.set({ inspector: true });
    }
    const [kernel] = derived.compilation.fusedPlan?.kernels ?? [];
    if (picture.kernel !== null && kernel && handText(context.get().document.byHand, kernel) === null)
      actions.writeKernel(kernel, picture.kernel);
    void showBest(content, step, derived.compilation);
    const selected = derived.compilation.symbols.find(({ name }) => name === picture.select)?.node;
    if (selected) actions.select({ kind: "node", id: selected });
  }

  /** Judges what was said of this step, as soon as its plan is there. */
  async function settle(): Promise<void> {
    const { cursorOf, judge, pictureOf, scopeOf } = await loadPart(() => import("../../course"));
    const { lesson } = context.get();
    const said = lesson?.answers.get(lesson.step);
    const ask = lesson?.content.steps[lesson.step]?.ask;
    const scope = lesson?.compilation && scopeOf(lesson.compilation, null, null, lesson.beside);
    if (!lesson?.compilation || !said || said.judgement || !ask || !scope) return;
    const { answer } = said;
    const judgement = judge(ask, answer, scope);
    context.set({ lesson: { ...lesson, answers: new Map(lesson.answers).set(lesson.step, { answer, judgement }) } });
    const { at } = pictureOf(lesson.content, lesson.step);
    if (ask.kind !== "click" && context.get().derived.compilation === lesson.compilation)
      context.get().actions.stepTo(cursorOf(lesson.compilation, at) ?? lesson.compilation.steps.length);
    keepAnswer(lesson, judgement.right);
  }

  /** An answer that was left before its plan was there counts all the same. */
  async function judgeLeft(left: OpenLesson | null, next: Pick<OpenLesson, "content" | "step"> | null): Promise<void> {
    const said = left?.answers.get(left.step);
    const ask = left?.content.steps[left.step]?.ask;
    if (!left || !said || said.judgement || !ask) return;
    // Read again: the step itself judges what was said.
    if (next?.content === left.content && next.step === left.step) return;
    await judgeApart(left, said.answer);
  }

  /** Judges what was said of a step that is not shown. */
  async function judgeApart(left: Pick<OpenLesson, "content" | "step">, said: Answer): Promise<void> {
    const { besideOf, judge, pictureOf, scopeOf } = await loadPart(() => import("../../course"));
    const ask = left.content.steps[left.step]?.ask;
    const shown = documentOf(pictureOf(left.content, left.step));
    const other = besideOf(left.content, left.step, shown);
    const { actions } = context.get();
    const compilation = await actions.planOf(shown.text, shown.options);
    const beside = other && (await actions.planOf(other.text, other.options));
    const scope = compilation && scopeOf(compilation, null, null, beside);
    if (ask && scope) keepAnswer(left, judge(ask, said, scope).right);
  }

  /** The first answer of a step is what counts. */
  function keepAnswer({ content, step }: Pick<OpenLesson, "content" | "step">, right: boolean): void {
    record(context, content.id, (before) => {
      const { [step]: _, ...said } = before.said ?? {};
      return { ...before, said, answers: { [step]: right, ...before.answers } };
    });
  }

  async function showBest({ steps }: Lesson, step: number, compilation: Compilation): Promise<void> {
    const task = steps[step]?.task;
    if (task?.score === undefined) return;
    const { bestKnown } = await loadPart(() => import("../storage/best-known"));
    const best = await bestKnown(context, task, compilation);
    const { lesson } = context.get();
    if (lesson?.compilation === compilation && lesson.step === step) context.set({ lesson: { ...lesson, best } });
  }

  const compare: Compare = async (original, changed, what) => {
    const reply = await context.environment.compileWorker.ask({ kind: "values", what, original, changed });
    if (!reply.ok || reply.value.kind !== "values") return "The programs could not be compared.";
    return reply.value.sameness.same ? null : reply.value.sameness.text;
  };

  return {
    async openLesson(id, step = 0) {
      const { loadLesson } = await loadPart(() => import("../../course/files"));
      const content = await loadLesson(id);
      if (!content) {
        context.set({ notice: { tone: "warn", text: `There is no lesson called “${id}”.` } });
        return;
      }
      context.get().actions.closeIntro();
      context.set({ dialog: "none", page: "playground", pane: "lesson" });
      await show(content, Math.max(0, Math.min(step, content.steps.length - 1)));
    },
    async goToStep(step) {
      const { lesson } = context.get();
      if (lesson && step >= 0 && step < lesson.content.steps.length) await show(lesson.content, step);
    },
    async answer(answer) {
      const { lesson } = context.get();
      if (!lesson?.content.steps[lesson.step]?.ask || lesson.answers.has(lesson.step)) return;
      const said = { answer, judgement: null };
      context.set({ lesson: { ...lesson, answers: new Map(lesson.answers).set(lesson.step, said) } });
      // Who passes is not right whatever the plan says.
      if (answer.kind === "pass") keepAnswer(lesson, false);
      else
        record(context, lesson.content.id, (before) => ({
          ...before,
          said: { [lesson.step]: answer, ...before.said },
        }));
      await settle();
    },
    async judgeKept() {
      for (const [id, { said = {} }] of context.get().courseProgress)
        for (const [step, answer] of Object.entries(said)) {
          const content = await (await loadPart(() => import("../../course/files"))).loadLesson(id);
          if (content) await judgeApart({ content, step: Number(step) }, answer);
        }
    },
    showHint() {
      const { lesson } = context.get();
      if (lesson) context.set({ lesson: { ...lesson, hints: lesson.hints + 1 } });
    },
    askSolution() {
      const { lesson } = context.get();
      if (!lesson) return;
      context.set({ lesson: { ...lesson, solution: lesson.solution === "hidden" ? "asked" : "shown" } });
    },
    async checkTask() {
      const { taskState } = await loadPart(() => import("../../course"));
      const { lesson, derived } = context.get();
      const task = lesson?.content.steps[lesson.step]?.task;
      if (!lesson || !task || !derived.latest) return;
      const [kernel] = derived.latest.fusedPlan?.kernels ?? [];
      // Counted also where its code is not in sight.
      if (task.kernel !== undefined && kernel) void context.get().actions.checkKernel(kernel, false);
      const hand =
        task.kernel === undefined
          ? null
          : (await loadPart(() => import("../runs/hand-facts"))).handFacts(context.get());
      const { program, compilation } = lesson;
      const begun = { text: program, options: compilation?.options ?? derived.latest.options };
      const state = await taskState(task, begun, derived.latest, compare, hand);
      const shown = context.get().lesson;
      if (
        shown?.content !== lesson.content ||
        shown.step !== lesson.step ||
        context.get().derived.latest !== derived.latest
      )
        return;
      context.set({ lesson: { ...shown, task: state } });
      if (!state.done) return;
      record(context, lesson.content.id, (before) => ({
        ...before,
        done: before.done.includes(lesson.step) ? before.done : [...before.done, lesson.step],
        best: state.score === null ? before.best : Math.min(before.best ?? Infinity, state.score),
      }));
    },
    closeLesson() {
      showing.abort();
      const { pane, lesson } = context.get();
      void judgeLeft(lesson, null);
      context.set({ lesson: null, pane: pane === "lesson" ? "graph" : pane });
    },
    async addProgress(text) {
      const { findLessonHead } = await loadPart(() => import("../../course/files"));
      const found = parseProgress(text);
      for (const [id, other] of found) if (findLessonHead(id)) record(context, id, (own) => furtherOf(own, other));
      return [...found.keys()].filter((id) => findLessonHead(id)).length;
    },
    forgetCourse() {
      context.environment.storage.write(COURSE_KEY, "{}");
      context.set({ courseProgress: new Map() });
    },
  };
};
