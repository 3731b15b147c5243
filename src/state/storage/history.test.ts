import { expect, test } from "vitest";
import type { Document } from "../../document";
import { commit, pause, redo, startHistory, type, undo, TYPING_PAUSE_MILLIS } from "./history";

const base = { text: "", positions: {}, example: null } as unknown as Document;
const says = (text: string): Document => ({ ...base, text });

test("typing without a pause is one step, a pause starts the next", () => {
  let history = startHistory(says(""));
  history = type(history, says("y"), 0);
  history = type(history, says("y ="), 100);
  history = type(history, says("y = x"), 200);
  history = type(history, says("y = x + b"), 201 + TYPING_PAUSE_MILLIS);
  expect(history.past.map((document) => document.text)).toEqual(["", "y = x"]);
  history = undo(history);
  expect(history.present.text).toBe("y = x");
  history = undo(history);
  expect(history.present.text).toBe("");
  expect(undo(history)).toBe(history);
});

test("a run ends the step that is being typed", () => {
  let history = type(startHistory(says("")), says("a"), 0);
  history = type(pause(history), says("ab"), 1);
  expect(undo(history).present.text).toBe("a");
});

test("typing after an undo or a gesture never joins what was before", () => {
  let history = type(startHistory(says("")), says("a"), 0);
  history = commit(history, says("ab"));
  history = type(history, says("abc"), 10);
  expect(history.past.map((document) => document.text)).toEqual(["", "a", "ab"]);
  history = undo(history);
  history = type(history, says("abx"), 20);
  expect(history.future).toEqual([]);
  expect(history.past.map((document) => document.text)).toEqual(["", "a", "ab"]);
});

test("undo and redo are inverse, and a new action forgets the future", () => {
  let history = startHistory(says("0"));
  for (const text of ["1", "2", "3"]) history = commit(history, says(text));
  const before = history;
  expect(redo(undo(history))).toEqual(before);
  history = commit(undo(undo(history)), says("x"));
  expect(history.future).toEqual([]);
  expect(history.past.map((document) => document.text)).toEqual(["0", "1"]);
});

test("the past is bounded", () => {
  let history = startHistory(says("0"));
  for (let i = 1; i < 1200; i++) history = commit(history, says(String(i)));
  expect(history.past.length).toBe(500);
  expect(history.past.at(-1)?.text).toBe("1198");
});
