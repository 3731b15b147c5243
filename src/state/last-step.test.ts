import { expect, test } from "vitest";
import { compile } from "../fusion";
import { localPort } from "../workers";
import { createPlayground, type Playground } from "./playground";
import { environmentWith, fakeAnswer, Shelf } from "./testing/fake-environment";

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1));
};

/** A page of somebody whose browser has `shelf`. */
async function visit(shelf: Shelf): Promise<Playground> {
  const port = localPort((request: Parameters<typeof fakeAnswer>[0]) =>
    request.kind === "compile"
      ? { kind: "compiled" as const, compilation: compile(request.text, request.options) }
      : fakeAnswer(request),
  );
  const page = createPlayground(environmentWith(shelf, port as never));
  page.start();
  await settle();
  return page;
}

const cursorOf = (page: Playground): number => page.getState().cursor;

test("who comes back finds the step that was looked at last, and the end where that was it", async () => {
  const shelf = new Shelf();
  const first = await visit(shelf);
  first.getState().actions.openExample("softmax");
  await settle();
  const last = cursorOf(first);
  first.getState().actions.stepTo(2);
  first.flush();
  first.dispose();
  const second = await visit(shelf);
  expect([second.getState().document.example, cursorOf(second), last > 2]).toEqual(["softmax", 2, true]);
  expect(second.getState().notice).toBeNull();
  second.getState().actions.stepTo(last);
  second.flush();
  second.dispose();
  const third = await visit(shelf);
  expect(cursorOf(third)).toBe(last);
  // Another program is looked at from its end, whatever was left.
  third.getState().actions.stepTo(1);
  third.flush();
  third.dispose();
  const fourth = await visit(shelf);
  fourth.getState().actions.openExample("swiglu");
  await settle();
  expect(cursorOf(fourth)).toBe(fourth.getState().derived.compilation!.steps.length);
  fourth.dispose();
});
