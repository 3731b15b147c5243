import { expect, test } from "vitest";
import { compile, defaultOptions } from "../fusion";
import { ENDED, type Answer, type CompileReply, type CompileRequest, type Port } from "../workers";
import { createPlayground, type Playground } from "./playground";
import { COURSE_KEY, parseProgress } from "./storage/course-progress";
import { environmentWith, fakeAnswer, Shelf } from "./testing/fake-environment";

interface Asked {
  readonly request: CompileRequest;
  readonly settle: (answer: Answer<CompileReply>) => void;
}

/** A worker that answers when it is told to. What the person waits for ends all that was asked before, at once. */
function strictWorker() {
  let open: Asked[] = [];
  const ask = (request: CompileRequest): Promise<Answer<CompileReply>> =>
    new Promise((settle) => open.push({ request, settle }));
  const end = (): void => {
    const ended = open;
    open = [];
    for (const { settle } of ended) settle({ ok: false, text: ENDED });
  };
  const askFirst = (request: CompileRequest) => {
    end();
    return ask(request);
  };
  const port = { ask, askFirst, warm: () => undefined, end } satisfies Port<CompileRequest, CompileReply>;
  const answer = (): void => {
    const { request, settle } = open.shift()!;
    if (request.kind !== "compile") return settle({ ok: true, value: fakeAnswer(request) });
    settle({ ok: true, value: { kind: "compiled", compilation: compile(request.text, request.options) } });
  };
  return { port, answer, waiting: () => open.length };
}

const pause = (millis = 5): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** Until `holds`: chunks are loaded and timers run meanwhile. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1000) throw new Error("It never came.");
    await pause();
  }
}

const STEP = 1;
const of = (page: Playground) => page.getState().courseProgress.get("memory-is-the-cost");

/** A page whose lesson shows its first question, and waits for its plan. */
async function asking(storage = new Shelf()) {
  const worker = strictWorker();
  const page = createPlayground(environmentWith(storage, worker.port as unknown as Port<never, never>));
  page.start();
  const { actions } = page.getState();
  void actions.openLesson("memory-is-the-cost", STEP);
  await until(() => page.getState().lesson !== null && worker.waiting() > 0);
  return { page, worker, storage, actions };
}

test("an answer that is left before its plan is there is judged, whatever the page asks of the worker meanwhile", async () => {
  const { page, worker, storage, actions } = await asking();
  void actions.answer({ kind: "number", value: 384 });
  actions.closeLesson();
  // What is typed meanwhile ends what the worker was asked, again and again.
  for (const text of ["a: f32[4]\nb = a + 1", "a: f32[4]\nb = a + 2"]) {
    actions.typeText(text);
    await pause(150);
    worker.answer();
    await until(() => worker.waiting() > 0);
  }
  expect(of(page)).toMatchObject({ said: { [STEP]: { value: 384 } }, answers: {} });
  while (of(page)?.answers[STEP] === undefined) {
    await until(() => worker.waiting() > 0);
    worker.answer();
    await pause();
  }
  expect(of(page)).toMatchObject({ said: {}, answers: { [STEP]: true } });
  expect(parseProgress(storage.read(COURSE_KEY)).get("memory-is-the-cost")).toEqual(of(page));
  page.dispose();
});

test("an answer is judged by the lesson's own program where another one was typed before its plan was there", async () => {
  const { page, worker, actions } = await asking();
  actions.typeText("a: f32[4]\nb = a + 1");
  await pause(150);
  void actions.answer({ kind: "number", value: 384 });
  while (of(page)?.answers[STEP] === undefined) {
    await until(() => worker.waiting() > 0);
    worker.answer();
    await pause();
  }
  expect(of(page)!.answers[STEP]).toBe(true);
  expect(page.getState().lesson!.answers.get(STEP)?.judgement?.right).toBe(true);
  expect(page.getState().document.text).toBe("a: f32[4]\nb = a + 1");
  page.dispose();
});

test("what two tabs answer is kept, and what was forgotten in one stays so", async () => {
  const storage = new Shelf();
  const [first, second] = [await asking(storage), await asking(storage)];
  void first.actions.answer({ kind: "pass" });
  void second.actions.openLesson("rows-in-registers", 0);
  await until(() => second.page.getState().lesson?.content.id === "rows-in-registers");
  expect([...parseProgress(storage.read(COURSE_KEY)).keys()]).toEqual(["memory-is-the-cost", "rows-in-registers"]);
  expect(of(second.page)?.answers).toEqual({ [STEP]: false });
  first.actions.forgetCourse();
  void second.actions.goToStep(1);
  await until(() => second.page.getState().lesson?.step === 1);
  expect([...parseProgress(storage.read(COURSE_KEY)).keys()]).toEqual(["rows-in-registers"]);
  first.page.dispose();
  second.page.dispose();
});

test("where nothing can be stored the tab remembers its own answers", async () => {
  const storage = new Shelf();
  storage.full = true;
  const { page, actions } = await asking(storage);
  void actions.answer({ kind: "pass" });
  void actions.openLesson("rows-in-registers", 0);
  await until(() => page.getState().lesson?.content.id === "rows-in-registers");
  expect(of(page)?.answers).toEqual({ [STEP]: false });
  page.dispose();
});

test("who closes a lesson is told that its program stays, and comes back to their own", async () => {
  const worker = strictWorker();
  const page = createPlayground(environmentWith(new Shelf(), worker.port as unknown as Port<never, never>));
  page.start();
  const { actions } = page.getState();
  const own = "mine: f32[8]\ny = exp(mine)\n";
  actions.typeText(own);
  void actions.openLesson("memory-is-the-cost", 0);
  await until(() => page.getState().lesson !== null);
  void actions.goToStep(STEP);
  await until(() => page.getState().lesson?.step === STEP);
  actions.closeLesson();
  expect(page.getState().document.text).not.toBe(own);
  expect(page.getState().notice?.text).toBe("The lesson is closed. Its program stays here.");
  actions.followNotice();
  expect([page.getState().document.text, page.getState().notice]).toEqual([own, null]);
  page.dispose();
});

test("another program closes the lesson, whichever way it is opened; a link of the lesson keeps it", async () => {
  const { page, actions } = await asking();
  const own = { text: "mine: f32[8]\ny = exp(mine)\n", positions: {}, options: defaultOptions, example: null };
  const ways: readonly (() => void)[] = [
    () => actions.openExample("softmax"),
    () => actions.startAfresh(),
    () => actions.openPrevious(0),
    () => actions.openDocument(own, null, "link"),
  ];
  actions.openDocument(own, null, "option", { version: 1, lesson: { id: "memory-is-the-cost", step: STEP } });
  expect(page.getState().lesson?.content.id).toBe("memory-is-the-cost");
  actions.openExample("softmax");
  expect(page.getState().previousWorks).toHaveLength(1);
  for (const open of ways) {
    void actions.openLesson("memory-is-the-cost", STEP);
    await until(() => page.getState().lesson !== null);
    const { text } = page.getState().document;
    open();
    expect(page.getState()).toMatchObject({ lesson: null, pane: "graph", notice: null });
    expect(page.getState().document.text).not.toBe(text);
  }
  page.dispose();
});
