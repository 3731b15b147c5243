/** @file The open lesson: its steps are shown, its answers judged, its tasks checked. Comes with the first lesson. */
import type { Answer, Compare, Lesson } from "../../course";
import { answered, besideOf, cursorOf, findLessonHead, isAboutCode, loadLesson, pictureOf } from "../../course/files";
import { defaultOptions, type Compilation } from "../../fusion";
import { handText, recordOf, type Document } from "../../document";
import { findExample, optionsFor } from "../../lessons";
import { loadPart } from "../load-part";
import { selectLessonAsks } from "../slices/predict-slice";
import type { SliceContext } from "../slices/slice-context";
import type { CourseProgress, LessonProgress, OpenLesson } from "../slices/slice-states";
import { COURSE_KEY, NO_PROGRESS, parseProgress, storedProgress, writtenProgress } from "../storage/course-progress";
import type { Actions } from "../types";
import { askBeside } from "../ask-beside";

/** What is known of a lesson on two machines: the first answers of this one stay. */
const furtherOf = (own: LessonProgress, other: LessonProgress): LessonProgress => ({
  furthest: Math.max(own.furthest, other.furthest),
  answers: { ...other.answers, ...own.answers },
  said: { ...other.said, ...own.said },
  done: [...new Set([...own.done, ...other.done])].toSorted((a, b) => a - b),
  best: own.best === null || other.best === null ? (own.best ?? other.best) : Math.min(own.best, other.best),
});

/** The picture of a question tells no answer: the naive plan instead of the fused one, and no decision that it is about. */
function cursorFor(lesson: OpenLesson, compilation: Compilation): number {
  const { ask } = lesson.content.steps[lesson.step]!;
  const waits = selectLessonAsks({ lesson });
  const { at } = pictureOf(lesson.content, lesson.step);
  const last = compilation.steps.length;
  const cursor = cursorOf(compilation, ask && !waits ? answered(at) : at) ?? last;
  return waits && ask?.kind !== "click" && cursor === last ? 0 : cursor;
}

type LessonActions = Pick<Actions, "goToStep" | "answer" | "judgeKept" | "checkTask" | "closeLesson">;

export interface LessonRun extends LessonActions {
  openLesson(id: string, step: number): Promise<void>;
  /** How many lessons the text of a file tells of; they are added. */
  addProgress(text: string): number;
}

/** What the store does with lessons. One for a page: it remembers which step is being shown. */
export function startLessons(context: SliceContext): LessonRun {
  let showing = new AbortController();
  /** False where the browser has no room: then this tab alone knows what it has. */
  let isStored = true;

  /** What is stored by any tab, and this one's own. */
  const known = (): CourseProgress => {
    const stored = storedProgress(context.environment);
    if (isStored) return stored;
    const own = [...context.get().courseProgress];
    return new Map([
      ...stored,
      ...own.map(([id, each]) => [id, furtherOf(each, stored.get(id) ?? NO_PROGRESS)] as const),
    ]);
  };
  const record = (id: string, change: (before: LessonProgress) => LessonProgress): void => {
    const before = known();
    const courseProgress = new Map(before).set(id, change(before.get(id) ?? NO_PROGRESS));
    context.set({ courseProgress });
    isStored = context.environment.storage.write(COURSE_KEY, writtenProgress(courseProgress));
  };

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
    const picture = pictureOf(content, step);
    const wanted = documentOf(picture);
    const { document, lesson } = context.get();
    const answers: OpenLesson["answers"] = lesson?.content === content ? lesson.answers : new Map();
    const changes =
      wanted.text !== document.text || JSON.stringify(wanted.options) !== JSON.stringify(document.options);
    if (changes) context.replace(wanted, "example", true);
    context.set({
      lesson: {
        content,
        step,
        before: lesson?.before ?? document,
        program: wanted.text,
        isAboutCode: isAboutCode(content.steps[step]!),
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
    record(content.id, (before) => ({ ...before, furthest: Math.max(before.furthest, step) }));
    const { actions } = context.get();
    const compilation = await actions.planOf(wanted.text, wanted.options);
    const other = besideOf(content, step, wanted);
    const beside = other && (await actions.planOf(other.text, other.options));
    const shown = context.get().lesson;
    if (signal.aborted || !compilation || !shown) return;
    const reach = cursorFor(shown, compilation);
    context.set({ lesson: { ...shown, compilation, beside, reach } });
    // The person may have changed the program meanwhile: it stays as it is.
    const isShown = (): boolean => context.get().derived.compilation === compilation;
    if (isShown()) actions.stepTo(reach);
    await settle();
    void showBest(content, step, compilation);
    if (signal.aborted || !isShown()) return;
    if (picture.tab) {
      actions.showTab(picture.tab);
      // For this lesson only: what the person prefers stays stored.
      context.set({ inspector: true });
    }
    const [kernel] = compilation.fusedPlan?.kernels ?? [];
    if (picture.kernel !== null && kernel && handText(context.get().document.byHand, kernel) === null)
      actions.writeKernel(kernel, picture.kernel);
    const selected = compilation.symbols.find(({ name }) => name === picture.select)?.node;
    if (selected) actions.select({ kind: "node", id: selected });
  }

  /** Judges what was said of this step, as soon as its plan is there. */
  async function settle(): Promise<void> {
    const { judge, scopeOf } = await loadPart(() => import("../../course"));
    const { lesson } = context.get();
    const said = lesson?.answers.get(lesson.step);
    const ask = lesson?.content.steps[lesson.step]?.ask;
    const scope = lesson?.compilation && scopeOf(lesson.compilation, null, null, lesson.beside);
    if (!lesson?.compilation || !said || said.judgement || !ask || !scope) return;
    const { answer } = said;
    const judgement = judge(ask, answer, scope);
    const judged = { ...lesson, answers: new Map(lesson.answers).set(lesson.step, { answer, judgement }) };
    context.set({ lesson: judged });
    const { cursor, derived, actions } = context.get();
    const shows = cursorFor(judged, lesson.compilation);
    if (shows !== cursor && derived.compilation === lesson.compilation) actions.stepTo(shows);
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
    const { judge, scopeOf } = await loadPart(() => import("../../course"));
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
    record(content.id, (before) => {
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
    const reply = await askBeside(context, { kind: "values", what, original, changed });
    if (!reply.ok || reply.value.kind !== "values") return "The programs could not be compared.";
    return reply.value.sameness.same ? null : reply.value.sameness.text;
  };

  return {
    async openLesson(id, step) {
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
      if (!lesson || step < 0 || step >= lesson.content.steps.length) return;
      context.set({ pane: "lesson" });
      await show(lesson.content, step);
    },
    async answer(answer) {
      const { lesson } = context.get();
      if (!lesson?.content.steps[lesson.step]?.ask || lesson.answers.has(lesson.step)) return;
      const said = { answer, judgement: null };
      context.set({ lesson: { ...lesson, answers: new Map(lesson.answers).set(lesson.step, said) } });
      // Who passes is not right whatever the plan says.
      if (answer.kind === "pass") keepAnswer(lesson, false);
      else
        record(lesson.content.id, (before) => ({
          ...before,
          said: { [lesson.step]: answer, ...before.said },
        }));
      await settle();
    },
    async judgeKept() {
      for (const [id, { said = {} }] of context.get().courseProgress)
        for (const [step, answer] of Object.entries(said)) {
          const content = await loadLesson(id);
          if (content) await judgeApart({ content, step: Number(step) }, answer);
        }
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
        task.kernel === undefined ? null : (await loadPart(() => import("./hand-facts"))).handFacts(context.get());
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
      record(lesson.content.id, (before) => ({
        ...before,
        done: before.done.includes(lesson.step) ? before.done : [...before.done, lesson.step],
        best: state.score === null ? before.best : Math.min(before.best ?? Infinity, state.score),
      }));
    },
    closeLesson(replaced = false) {
      showing.abort();
      const { pane, lesson, document } = context.get();
      if (!lesson) return;
      void judgeLeft(lesson, null);
      context.set({ lesson: null, pane: pane === "lesson" ? "graph" : pane });
      if (replaced || lesson.before.text === document.text) return;
      const action = { label: "Back to the previous program", kind: "open-draft", document: lesson.before } as const;
      context.set({ notice: { tone: "info", text: "The lesson is closed. Its program stays here.", action } });
    },
    addProgress(text) {
      const found = parseProgress(text);
      for (const [id, other] of found) if (findLessonHead(id)) record(id, (own) => furtherOf(own, other));
      return [...found.keys()].filter((id) => findLessonHead(id)).length;
    },
  };
}
