import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { defaultOptions, nodeId, type Step } from "../fusion";
import { changedOptions, startExample } from "../lessons";
import { localPort, type Answer, type CompileReply, type CompileRequest, type Port } from "../workers";
import { DRAFT_KEY, SAVE_PAUSE_MILLIS } from "./storage/autosave";
import { restingStep } from "./resting-step";
import { commands } from "./commands";
import { isSameProgram, selectOpenExample, selectSize, selectTitle } from "./selectors";
import { INTRO_MILLIS } from "./slices/view-slice";
import { createPlayground, type Playground } from "./playground";
import { Shelf, fakeAnswer, environmentWith } from "./testing/fake-environment";
import type { Environment } from "./environment";

let shelf: Shelf;
let page: Playground;
const state = () => page.getState();
const settle = (millis = 1000) => vi.advanceTimersByTimeAsync(millis);

beforeEach(async () => {
  vi.useFakeTimers();
  shelf = new Shelf();
  page = createPlayground(environmentWith(shelf));
  page.start();
  await settle();
});
afterEach(() => {
  page.dispose();
  vi.useRealTimers();
});

test("a first visit opens the first example, ready to play", () => {
  expect(state().document.text).toBe(startExample.text);
  expect(state().derived.status).toBe("ready");
  expect([state().intro, state().cursor]).toEqual(["waiting", 0]);
  expect(shelf.kept.has(DRAFT_KEY)).toBe(false);
  state().actions.skipIntro();
  expect([state().intro, state().cursor]).toEqual(["resting", state().derived.compilation?.steps.length]);
});

test("the first visit's example plays to its end and rests; a step of one's own ends the play", async () => {
  state().actions.playIntro(false);
  expect([state().intro, state().playing, state().cursor]).toEqual(["playing", true, 0]);
  await settle(INTRO_MILLIS);
  expect([state().intro, state().playing]).toEqual(["resting", false]);
  state().actions.playIntro(false);
  state().actions.stepForward();
  expect([state().intro, state().playing, state().cursor]).toEqual(["resting", false, 1]);
});

test("a text that is another program bears no example's name", async () => {
  const { actions } = state();
  actions.openExample("softmax");
  expect(selectTitle(state())).toBe("Softmax");
  actions.typeText(state().document.text.replace("softmax(x)", "softmax(x * 2)"));
  expect(selectTitle(state())).toBe("Softmax");
  actions.typeText("a: f32[8]\nb = exp(a)\n");
  await settle();
  expect([selectTitle(state()), selectSize(state())]).toEqual([null, null]);
});

test("a challenge stays open while another program is written for it", () => {
  const { actions } = state();
  actions.openExample("challenge-product");
  for (const text of ["N", "N = 8\nx: f32[N]\ny = exp(x)\n"]) actions.typeText(text);
  expect(state().document.example).toBe("challenge-product");
});

test("what an example had set ends with its text, what a person chose does not, and a new program begins without either", async () => {
  const { actions } = state();
  actions.openExample("layer-norm-gelu");
  const said = () => changedOptions(state().document.options, selectOpenExample(state()))?.words ?? [];
  expect([state().document.options.granularity, said()]).toEqual(["primitive", []]);
  const { text } = state().document;
  // Cleared and put back, it is the example still.
  for (const between of ["", text]) actions.typeText(between);
  expect([state().document.options.granularity, selectOpenExample(state())?.id]).toEqual([
    "primitive",
    "layer-norm-gelu",
  ]);
  actions.setLevel(1);
  actions.typeText("a: f32[8]\nb = exp(a)\n");
  await settle();
  expect([state().document.options.granularity, state().document.example, said()]).toEqual(["op", null, ["level 1"]]);
  actions.undo();
  expect([state().document.options.granularity, state().document.example]).toEqual(["primitive", "layer-norm-gelu"]);
  actions.redo();
  expect([state().document.options.granularity, state().document.example]).toEqual(["op", null]);
  commands.find(({ id }) => id === "new")!.run(state());
  await settle();
  expect([state().document.options, said()]).toEqual([defaultOptions, []]);
});

test("what was chosen in a program is not chosen in another that is pasted over it, and stays while one types", () => {
  const { actions } = state();
  actions.typeText("x: f32[8]\nw: f32[8]\ny = relu(x * w)\n");
  actions.select({ kind: "node", id: nodeId("x") });
  actions.typeText("x: f32[16]\nw: f32[16]\ny = exp(x * w)\n");
  expect(state().selection).toEqual({ kind: "node", id: "x" });
  actions.typeText("x: f32[4, 4]\nz = softmax(x)\n");
  expect(state().selection).toEqual({ kind: "none" });
});

test("what is said of a program goes with it, what asks for something stays", () => {
  const { actions } = state();
  page.setState({ notice: { tone: "warn", text: "There is no example called kept." } });
  actions.openExample("softmax");
  expect(state().notice).toBeNull();
  page.setState({ notice: { tone: "no", text: "The GPU went away.", action: { label: "Run again", kind: "retry" } } });
  actions.openExample("swiglu");
  expect(state().notice?.text).toBe("The GPU went away.");
});

test("a second visit does not play again", async () => {
  state().actions.playIntro(true);
  const again = createPlayground(environmentWith(shelf));
  again.start();
  await settle();
  expect(again.getState().intro).toBeNull();
  expect(again.getState().cursor).toBe(again.getState().derived.compilation?.steps.length);
  again.dispose();
});

test("the resting step is the accepted one that saves most, of equals the one about most ops", () => {
  const step = (accepted: boolean, microsApart: number, microsFused: number, nodes: readonly string[] = []) =>
    ({
      accepted,
      nodes,
      cost: { alternatives: [{ micros: microsApart }, { micros: microsFused, chosen: true }] },
    }) as unknown as Step;
  expect(restingStep([step(true, 5, 4), step(false, 90, 1), step(true, 9, 4), step(true, 9, 4)])).toBe(3);
  expect(restingStep([step(true, 9, 4), step(true, 9, 4.001, ["a", "b"]), step(true, 9, 4, ["a"])])).toBe(2);
  expect(restingStep([{ accepted: true, cost: null, nodes: [] } as unknown as Step])).toBe(1);
  expect(restingStep([])).toBe(0);
});

test("typing compiles after a pause, keeps the draft within a second and is one undo step", async () => {
  const before = state().document.text;
  for (const text of ["a", "a =", "a = 1"]) {
    state().actions.typeText(text);
    await settle(50);
  }
  expect(state().derived.status).toBe("compiling");
  await settle(SAVE_PAUSE_MILLIS);
  expect(shelf.kept.get(DRAFT_KEY)).toContain("a = 1");
  expect(state().derived.compilation?.text).toBe("a = 1");
  state().actions.undo();
  expect(state().document.text).toBe(before);
  state().actions.redo();
  expect(state().document.text).toBe("a = 1");
});

test("a broken text keeps the last good compilation", async () => {
  state().actions.typeText("a = 1\nb = bad");
  await settle();
  expect(state().derived.status).toBe("broken");
  expect(state().derived.compilation?.text).toBe(startExample.text);
  expect(state().derived.latest?.text).toContain("bad");
  state().actions.typeText("a = 1\nb = 2");
  await settle();
  expect(state().derived.status).toBe("ready");
  expect(state().derived.compilation?.text).toBe("a = 1\nb = 2");
});

test("an emptied program leaves nothing of the one before, whatever is typed next", async () => {
  state().actions.typeText("");
  await settle();
  expect(state().derived).toMatchObject({ status: "ready", compilation: null });
  state().actions.typeText("bad");
  await settle();
  expect(state().derived).toMatchObject({ status: "broken", compilation: null });
  state().actions.undo();
  state().actions.undo();
  await settle();
  expect(state().derived.compilation?.text).toBe(startExample.text);
});

test("a question changes nothing until its answer is kept, which is one undo step", async () => {
  const before = state().document;
  state().actions.openWhatIf();
  void state().actions.askWhatIf({ kind: "strict", strict: true });
  expect(state().whatIf?.status).toBe("asking");
  await settle();
  const { whatIf } = state();
  expect(whatIf).toMatchObject({ status: "answered", answer: { options: { strict: true } } });
  expect(state().document).toBe(before);
  state().actions.keepWhatIf();
  expect(state().document.options).toEqual({ ...before.options, strict: true });
  expect(state().whatIf).toEqual({ status: "none" });
  state().actions.undo();
  expect(state().document).toBe(before);
});

test("an answer that comes after another question is dropped", async () => {
  void state().actions.askWhatIf({ kind: "level", level: 0 });
  void state().actions.askWhatIf({ kind: "level", level: 1 });
  await settle();
  expect(state().whatIf).toMatchObject({
    status: "answered",
    question: { level: 1 },
    answer: { options: { level: 1 } },
  });
  state().actions.closeWhatIf();
  void state().actions.askWhatIf({ kind: "level", level: 2 });
  state().actions.closeWhatIf();
  await settle();
  expect(state().whatIf).toBeNull();
});

test("a plan that is not what the text asserts is shown all the same", async () => {
  state().actions.typeText("a = 1\nassert");
  await settle();
  expect(state().derived.status).toBe("ready");
  expect(state().derived.compilation?.text).toContain("assert");
  expect(state().derived.latest?.diagnostics).toHaveLength(1);
});

/** A compile worker that answers when it is told to; like the real one it ends what is in the way of a newer text. */
function slowWorker(): { readonly worker: Environment["compileWorker"]; readonly answers: (() => void)[] } {
  const answers: (() => void)[] = [];
  const ask = (request: CompileRequest): Promise<Answer<CompileReply>> =>
    new Promise((resolve) => answers.push(() => resolve({ ok: true, value: fakeAnswer(request) })));
  return { worker: { ask, askFirst: ask, warm: () => undefined, end: () => undefined }, answers };
}

test("the page follows the system's colours while it is open, unless a theme was chosen", () => {
  let [dark, changed] = [false, (): void => undefined];
  const environment = {
    ...environmentWith(new Shelf()),
    prefersDark: () => dark,
    followDark: (tell: () => void) => void (changed = tell),
  };
  const other = createPlayground(environment);
  other.start();
  const turn = (to: boolean): string => {
    dark = to;
    changed();
    return other.getState().shownTheme;
  };
  expect([turn(true), turn(false), turn(true)]).toEqual(["dark", "light", "dark"]);
  other.getState().actions.togglePresenter();
  expect(turn(true)).toBe("light");
  other.getState().actions.togglePresenter();
  other.getState().actions.setTheme("light");
  expect(turn(true)).toBe("light");
  other.dispose();
});

test("answers to old texts are dropped", async () => {
  const { worker, answers } = slowWorker();
  const other = createPlayground(environmentWith(new Shelf(), worker as unknown as Port<never, never>));
  other.start();
  await settle(0);
  other.getState().actions.typeText("new = 1");
  await settle(200);
  expect(answers.length).toBe(1);
  answers.shift()!();
  await settle(0);
  expect(other.getState().derived.compilation).toBeNull();
  expect(answers.length).toBe(1);
  answers.shift()!();
  await settle(0);
  expect(other.getState().derived.compilation?.text).toBe("new = 1");
});

test("a newer text does not wait for the plan of an older one", async () => {
  const { worker, answers } = slowWorker();
  const other = createPlayground(environmentWith(new Shelf(), worker as unknown as Port<never, never>));
  other.start();
  await settle();
  other.getState().actions.typeText("new = 1");
  await settle();
  expect(answers.length).toBe(2);
  answers[1]!();
  await settle(0);
  expect(other.getState().derived.compilation?.text).toBe("new = 1");
  answers[0]!();
  await settle(0);
  expect(other.getState().derived.compilation?.text).toBe("new = 1");
});

test("a planner that fails leaves the text and the last plan, and its words are told", async () => {
  const failing = localPort((request: CompileRequest) => {
    if (request.kind === "compile" && request.text.includes("crash"))
      throw new Error("the pass merge failed: no node t");
    return fakeAnswer(request);
  });
  const other = createPlayground(environmentWith(new Shelf(), failing as unknown as Port<never, never>));
  other.start();
  await settle();
  const { compilation } = other.getState().derived;
  other.getState().actions.typeText("crash = 1");
  await settle();
  expect(other.getState().document.text).toBe("crash = 1");
  expect(other.getState().derived.compilation).toBe(compilation);
  expect(other.getState().notice?.text).toContain("the pass merge failed");
});

test("a full storage shows, and the work goes on", async () => {
  shelf.full = true;
  state().actions.typeText("a = 1");
  await settle();
  expect(state().saved).toBe("blocked");
  shelf.full = false;
  state().actions.typeText("a = 2");
  page.flush();
  expect(state().saved).toBe("saved");
});

test("a link never writes over the draft, and the draft can be opened again", async () => {
  state().actions.typeText("mine = 1");
  await settle();
  const draft = shelf.kept.get(DRAFT_KEY);
  const linked = { ...state().document, text: "theirs = 1", example: null };
  state().actions.openDocument(linked, null, "link");
  await settle();
  expect(state().document.text).toBe("theirs = 1");
  expect(shelf.kept.get(DRAFT_KEY)).toBe(draft);
  expect(state().previousWorks[0]?.document?.text).toBe("mine = 1");
  state().actions.typeText("theirs = 2");
  await settle();
  expect(shelf.kept.get(DRAFT_KEY)).toContain("theirs = 2");
  state().actions.openPrevious(0);
  await settle();
  expect(state().document.text).toBe("mine = 1");
  const again = createPlayground(environmentWith(shelf));
  again.start();
  expect(again.getState().previousWorks.map((work) => work.document?.text)).toContain("theirs = 2");
});

test("the cursor stays on its decision when the plan changes, and at the end when it was there", async () => {
  state().actions.skipIntro();
  state().actions.typeText("a = 1\nb = 2\nc = 3");
  await settle();
  expect(state().cursor).toBe(3);
  state().actions.stepTo(2);
  state().actions.typeText("z = 0\na = 1\nb = 2\nc = 3");
  await settle();
  expect(state().cursor).toBe(3);
  state().actions.stepTo(99);
  state().actions.typeText("a = 1");
  await settle();
  expect(state().cursor).toBe(1);
});

test("stepping walks passes and refusals; play advances and stops at the end", async () => {
  state().actions.typeText("a = 1\nb = no\nc = 3\nd = no");
  await settle();
  const { actions } = state();
  actions.stepTo(0);
  actions.nextPass(1);
  expect(state().cursor).toBe(1);
  actions.nextPass(1);
  expect(state().cursor).toBe(3);
  actions.nextPass(1);
  expect(state().cursor).toBe(4);
  actions.nextPass(-1);
  expect(state().cursor).toBe(3);
  actions.nextRefusal();
  expect(state().cursor).toBe(4);
  actions.nextRefusal();
  expect(state().cursor).toBe(2);
  actions.stepTo(0);
  actions.togglePlay();
  await settle(1000);
  expect(state().cursor).toBe(1);
  await settle(10_000);
  expect(state().cursor).toBe(4);
  expect(state().playing).toBe(false);
});

test("play stops where another program is opened, and walks that one at one pace when it is pressed again", async () => {
  state().actions.typeText("a = 1\nb = 2\nc = 3\nd = 4");
  await settle();
  state().actions.stepTo(0);
  state().actions.togglePlay();
  await settle(500);
  state().actions.openExample(startExample.id);
  await settle(5000);
  const last = state().derived.compilation!.steps.length;
  expect([state().playing, state().cursor]).toEqual([false, last]);
  state().actions.undo();
  await settle();
  state().actions.stepTo(0);
  for (let press = 0; press < 3; press++) state().actions.togglePlay();
  await settle(1000);
  expect(state().cursor).toBe(1);
});

test("pins exclude each other and are undone", async () => {
  const edge = "a>b:0" as never;
  state().actions.forbid(edge);
  state().actions.force(edge);
  expect(state().document.options.forced).toEqual([edge]);
  expect(state().document.options.forbidden).toEqual([]);
  state().actions.undo();
  expect(state().document.options.forbidden).toEqual([edge]);
  state().actions.release(edge);
  expect(state().document.options.forbidden).toEqual([]);
});

test("plans between the ends come from the worker, the shown one first, and belong to their compilation", async () => {
  state().actions.typeText("a = 1\nb = 2\nc = 3\nd = 4");
  await settle();
  const first = state().derived.compilation;
  expect([...state().derived.plans.keys()].toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  state().actions.typeText("a = 1\nb = 2");
  await settle();
  expect(state().derived.compilation).not.toBe(first);
  expect([...state().derived.plans.keys()]).toEqual([1]);
});

test("a model asks for what it leaves open once, then replaces the program; undo leads back", async () => {
  await settle();
  const before = state().document.text;
  const reading = state().actions.importModel("net.onnx", new Uint8Array([0]));
  expect([state().dialog, state().importing?.status]).toEqual(["import", "reading"]);
  await reading;
  const questions = [{ name: "batch", kind: "dim", inputs: ["x", "mask"] }];
  expect(state().importing).toEqual({ file: "net.onnx", status: "asking", questions });
  expect(state().document.text).toBe(before);
  await state().actions.answerImport(new Map([["batch", [4]]]));
  expect([state().document.text, state().dialog, state().importing]).toEqual(["x: f32[4]\n", "none", null]);
  expect(state().notice?.text).toBe("net.onnx is open. Runs use its own weights: 1 tensor, 8 B, kept on this device.");
  expect(state().document.weights).toEqual({ file: "net.onnx", key: "0123abcd" });
  state().actions.undo();
  expect(state().document.text).toBe(before);
});

test("of two models the later one is opened, though the weights of the first are still being kept", async () => {
  const kept: (() => void)[] = [];
  const weightStorage = {
    read: async () => null,
    write: () => new Promise<boolean>((done) => kept.push(() => done(true))),
  };
  const slow = createPlayground({ ...environmentWith(new Shelf()), weightStorage });
  slow.start();
  await settle();
  const { actions } = slow.getState();
  for (const [name, batch] of [
    ["first.onnx", 4],
    ["second.onnx", 5],
  ] as const) {
    await actions.importModel(name, new Uint8Array([0]));
    void actions.answerImport(new Map([["batch", [batch]]]));
    await settle();
  }
  for (const done of kept) done();
  await settle();
  expect(slow.getState().document.text).toBe("x: f32[5]\n");
  expect(slow.getState().notice?.text).toContain("second.onnx is open.");
  slow.dispose();
});

test("ops that a model has and the language has not are told; a closed dialog opens nothing", async () => {
  await state().actions.importModel("net.onnx", new Uint8Array([2]));
  await state().actions.answerImport(new Map([["batch", [4]]]));
  expect(state().importing).toMatchObject({ status: "partial", unsupported: [{ op: "Loop", count: 2 }] });
  expect(state().dialog).toBe("import");
  await settle();
  const before = state().document.text;
  const reading = state().actions.importModel("other.onnx", new Uint8Array([0]));
  state().actions.openDialog("none");
  await reading;
  expect([state().document.text, state().dialog]).toEqual([before, "none"]);
});

test("the tour is offered until it was begun or skipped, on this machine", () => {
  expect([state().tour, state().toured]).toEqual([null, false]);
  state().actions.showTour(0);
  state().actions.showTour(1);
  expect([state().tour, state().toured]).toEqual([{ stop: 1 }, true]);
  state().actions.showTour(null);
  const again = createPlayground(environmentWith(shelf));
  again.start();
  expect([again.getState().tour, again.getState().toured]).toEqual([null, true]);
  again.dispose();
});

test("a program whose values are renamed is the same program, one of other lines is not", () => {
  const text = "x: f32[64, 64]\nmid = exp(x)\n# mid stays in words\ny = relu(mid) + mid\n";
  expect(isSameProgram(text, text.replaceAll("mid", "centre"))).toBe(true);
  expect(isSameProgram(text, "a: f32[64, 64]\nb = exp(a)\nc = relu(b) + b\n")).toBe(true);
  expect(isSameProgram(text, "a: f32[64, 64]\nb = exp(a)\nc = relu(b) + a\n")).toBe(false);
  expect(isSameProgram(text, "x: f32[8]\nh = x @ x\ny = h.sum()\n")).toBe(false);
});
