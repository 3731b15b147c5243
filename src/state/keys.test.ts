import { expect, test } from "vitest";
import { chosenEdge, commands } from "./commands";
import { commandFor, showKey, worksEverywhere, type FocusArea, type Press } from "./keys";
import type { PlaygroundState } from "./types";

const state = {
  letterKeys: true,
  derived: { compilation: { steps: [{ edge: null, edges: [] }] }, latest: null, status: "ready" },
  cursor: 0,
  selection: { kind: "none" },
  dialog: "none",
  presenter: false,
  notice: null,
  canUndo: true,
  canRedo: true,
  document: { options: { forced: [], forbidden: [] } },
} as unknown as PlaygroundState;

const press = (key: string, held: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});
const asked = (key: string, held: Partial<Press> = {}, area: FocusArea = "elsewhere", at = state): string | null =>
  commandFor(press(key, held), area, at)?.id ?? null;

test("keys ask for their commands, and Shift tells an arrow from a refusal", () => {
  expect(asked("ArrowRight")).toBe("step-forward");
  expect(asked("ArrowRight", { shiftKey: true })).toBe("next-refusal");
  expect(asked("J")).toBe("step-forward");
  expect(asked("?", { shiftKey: true })).toBe("keys");
  expect(asked("z", { ctrlKey: true })).toBe("undo");
  expect(asked("Z", { ctrlKey: true, shiftKey: true })).toBe("redo");
  expect(asked("k", { metaKey: true })).toBe("find");
  expect(asked("ArrowRight", { altKey: true })).toBeNull();
  expect(asked("2")).toBe("tab-loops");
  expect(asked("2", {}, "elsewhere", { ...state, presenter: true })).toBe("side-traffic");
});

test("a field and the editor keep their letters, the graph its arrows", () => {
  expect(asked("j", {}, "text")).toBeNull();
  expect(asked("j", {}, "editor")).toBeNull();
  expect(asked("k", { ctrlKey: true }, "editor")).toBe("find");
  expect(asked("k", { ctrlKey: true }, "text")).toBe("find");
  expect(asked("F1", {}, "editor")).toBe("find");
  expect(asked("Enter", { ctrlKey: true }, "editor")).toBe("run");
  expect(asked("z", { ctrlKey: true }, "text")).toBeNull();
  expect(asked("ArrowRight", {}, "graph")).toBeNull();
  expect(asked("j", {}, "graph")).toBe("step-forward");
  expect(asked("j", {}, "dialog")).toBeNull();
});

test("what the sheet names with Ctrl, or as an F key, works in the editor; its undo and redo are bound there", () => {
  const strong = commands.flatMap(({ id, keys }) =>
    keys.filter((key) => key.ctrl || /^F\d/.test(key.key)).map((key) => ({ id, key })),
  );
  const found = strong.map(({ id, key }) => {
    const held = { ctrlKey: key.ctrl ?? false, shiftKey: key.shift ?? false };
    return [id, asked(key.key, held, "editor"), worksEverywhere(press(key.key, held))];
  });
  expect(found).toEqual(strong.map(({ id }) => (id === "undo" || id === "redo" ? [id, null, false] : [id, id, true])));
});

test("keys on the card of an op work wherever the focus is, but in a field", () => {
  const selected = { ...state, selection: { kind: "node", id: "y" } } as unknown as PlaygroundState;
  for (const area of ["elsewhere", "graph"] as const) {
    expect(asked("c", {}, area, selected)).toBe("connect");
    expect(asked("Delete", {}, area, selected)).toBe("remove");
  }
  expect(asked("c", {}, "text", selected)).toBeNull();
  expect(asked("Delete", {}, "editor", selected)).toBeNull();
  expect(asked("c")).toBeNull();
});

test("single letters can be switched off; arrows and Ctrl stay", () => {
  const off = { ...state, letterKeys: false };
  expect(asked("j", {}, "elsewhere", off)).toBeNull();
  expect(asked("ArrowRight", {}, "elsewhere", off)).toBe("step-forward");
  expect(asked("z", { ctrlKey: true }, "elsewhere", off)).toBe("undo");
});

test("a command that means nothing now is not asked for", () => {
  expect(asked("z", { ctrlKey: true }, "elsewhere", { ...state, canUndo: false })).toBeNull();
  expect(asked("f")).toBeNull();
});

test("no key means two things in one area", () => {
  const pressed = commands.flatMap(({ keys, where }) => keys.map((key) => `${where ?? "page"} ${showKey(key)}`));
  expect(new Set(pressed).size).toBe(pressed.length);
  expect(new Set(commands.map(({ id }) => id)).size).toBe(commands.length);
  expect(showKey({ key: "z", ctrl: true, shift: true })).toBe("Ctrl Shift Z");
});

test("F and X act on the edge of the shown card, also where its step decides several edges", () => {
  const steps = [{ edge: null, edges: ["h>y.max:0", "h>y.centre:0"] }];
  const shown = { ...state, cursor: 1, derived: { ...state.derived, compilation: { steps } } } as never;
  expect(asked("x", {}, "elsewhere", shown)).toBe("forbid");
  expect(chosenEdge(shown)).toBe("h>y.max:0");
});
