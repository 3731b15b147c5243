import { expect, test } from "vitest";
import { statusOf, type StatusFacts } from "./status";

const calm: StatusFacts = {
  notice: null,
  derived: "ready",
  slow: false,
  ops: 2000,
  empty: false,
  drawn: true,
  firstError: null,
  unconnected: [],
  loneInputs: [],
  run: { status: "idle" },
};
const textOf = (facts: Partial<StatusFacts>): string | null => {
  const status = statusOf({ ...calm, ...facts });
  return status && `${status.title} ${status.text} [${status.action?.label ?? "-"}]`;
};

test("with no news the numbers are shown", () => expect(textOf({})).toBeNull());

test("planning is silent until it is slow", () => {
  expect(textOf({ derived: "compiling" })).toBeNull();
  expect(textOf({ derived: "compiling", slow: true })).toBe("Planning… 2,000 ops [Cancel]");
});

test("before the first text is read no ops are counted", () =>
  expect(textOf({ derived: "compiling", slow: true, ops: null })).toBe("Planning…  [Cancel]"));

test("a broken text names its line", () => {
  const firstError = { code: "x", severity: "error", span: { from: 0, to: 1 }, line: 8, column: 1, text: "" } as const;
  expect(textOf({ derived: "broken", firstError })).toBe(
    "Line 8 does not compile. Showing the last good graph. [Go to line 8]",
  );
  expect(textOf({ derived: "broken", firstError, drawn: false })).toBe(
    "Line 8 does not compile. There is no graph yet. [Go to line 8]",
  );
});

test("a module that waits for its call is no mistake", () => {
  const text = "Nothing calls MLP yet: make an object of it and call that with inputs.";
  const fixes = [{ title: "Call MLP with example inputs", edits: [] }];
  const error = { code: "class", severity: "error", span: { from: 0, to: 1 }, line: 4, column: 1, text } as const;
  const firstError = { ...error, fixes };
  expect(textOf({ derived: "broken", firstError })).toBe(
    `No plan yet. ${text} Showing the last good graph. [Go to line 4]`,
  );
  expect(textOf({ derived: "broken", firstError, drawn: false })).toBe(`No plan yet. ${text} [Go to line 4]`);
  expect(textOf({ derived: "broken", firstError: error })).toContain("Line 4 does not compile.");
});

test("a program with gaps has no numbers: the ops that wait are named", () => {
  expect(textOf({ unconnected: ["relu"] })).toBe("No plan yet. relu needs an input: connect it. [-]");
  expect(textOf({ unconnected: ["relu", "add", "exp"] })).toContain(
    "relu and 2 other ops need an input: connect them.",
  );
});

test("inputs alone: what to do with the first", () => {
  expect(textOf({ loneInputs: ["x", "b"] })).toBe("No plan yet. Add an op and connect x to it. [-]");
});

test("a run tells how far it is", () => {
  const progress = { fraction: 0.27, text: "Running naive, repeat 212 of 400", secondsLeft: 2.2 };
  expect(textOf({ run: { status: "running", progress, previous: null } })).toBe(
    "Running naive repeat 212 of 400, about 2 s left [Cancel]",
  );
});

test("a notice comes before everything else", () => {
  const notice = {
    tone: "no",
    text: "The GPU went away. Your program is safe.",
    action: { label: "Run again", kind: "retry" },
  } as const;
  expect(textOf({ notice, derived: "broken" })).toBe("The GPU went away. Your program is safe. [Run again]");
});
