import { expect, test } from "vitest";
import { compile } from "../fusion";
import { examples } from "../lessons";
import { localPort } from "../workers";
import { createPlayground } from "./playground";
import { selectCovered, selectIsCovered, selectKnown, selectTold } from "./slices/predict-slice";
import { environmentWith, fakeAnswer, Shelf } from "./testing/fake-environment";
import type { Guess, PredictQuestion } from "./slices/slice-states";

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1));
};

/** What somebody said of a step, or of the end; null: that they cannot tell. */
const said = (kind: "end" | "step", right: boolean | null): Guess => {
  const question = (kind === "end" ? { kind, count: "kernels", naive: 3 } : { kind }) as PredictQuestion;
  return { question, said: right === null ? null : right ? 1 : 2, truth: 1, right: right === true, because: "" };
};

async function open() {
  const port = localPort((request: Parameters<typeof fakeAnswer>[0]) =>
    request.kind === "compile"
      ? { kind: "compiled" as const, compilation: compile(request.text, request.options) }
      : fakeAnswer(request),
  );
  const page = createPlayground(environmentWith(new Shelf(), port as never));
  page.start();
  page.getState().actions.openExample("softmax");
  await settle();
  return page;
}

test("nothing is covered until the mode is on, and nothing after it is off", async () => {
  const page = await open();
  const { actions } = page.getState();
  expect([selectCovered(page.getState()), selectIsCovered(page.getState())]).toEqual(["nothing", false]);
  actions.togglePredict();
  expect([selectCovered(page.getState()), selectIsCovered(page.getState()), page.getState().cursor]).toEqual([
    "end",
    true,
    0,
  ]);
  actions.togglePredict();
  expect(selectIsCovered(page.getState())).toBe(false);
});

test("no gesture goes past what was guessed", async () => {
  const page = await open();
  const { actions } = page.getState();
  const last = page.getState().derived.compilation!.steps.length;
  expect(last).toBeGreaterThan(2);
  actions.togglePredict();
  for (const move of [
    () => actions.stepTo(last),
    () => actions.stepForward(),
    () => actions.nextPass(1),
    () => actions.nextRefusal(),
    () => actions.togglePlay(),
  ]) {
    move();
    expect([page.getState().cursor, page.getState().playing]).toEqual([0, false]);
  }
  actions.guess(said("end", true));
  expect([selectCovered(page.getState()), selectKnown(page.getState())]).toEqual(["nothing", 0]);
  actions.guess(said("step", false));
  expect(page.getState().cursor).toBe(1);
  actions.stepTo(last);
  expect(page.getState().cursor).toBe(1);
});

test("another program is covered again, and the tally goes on", async () => {
  const page = await open();
  const { actions } = page.getState();
  actions.togglePredict();
  actions.showAllSteps(said("end", false));
  expect([selectIsCovered(page.getState()), page.getState().guesses.asked]).toEqual([false, 0]);
  actions.guess(said("step", true));
  expect(page.getState().guesses.asked).toBe(1);
  actions.openExample(examples.find(({ id }) => id === "log-relu")!.id);
  await settle();
  expect([selectCovered(page.getState()), selectKnown(page.getState()), page.getState().cursor]).toEqual(["end", 0, 0]);
});

test("who cannot tell sees the answer, and it counts as no guess", async () => {
  const page = await open();
  const { actions } = page.getState();
  actions.togglePredict();
  actions.guess(said("end", null));
  expect(page.getState().guesses).toMatchObject({ right: 0, asked: 0, last: { said: null } });
  actions.guess(said("step", true));
  actions.guess(said("step", false));
  expect(page.getState().guesses).toMatchObject({ right: 1, asked: 2 });
});

test("before a lesson asks, the page tells only the decisions that it has come to", async () => {
  const page = await open();
  await page.getState().actions.openLesson("one-kernel-instead-of-three", 0);
  await settle();
  const { length } = page.getState().derived.compilation!.steps;
  expect([length > 1, selectKnown(page.getState()), selectTold(page.getState())]).toEqual([true, length, 0]);
  page.getState().actions.stepTo(1);
  expect(selectTold(page.getState())).toBe(1);
});
