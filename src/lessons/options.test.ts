import { expect, test } from "vitest";
import { defaultOptions } from "../fusion";
import { allLessons, changedOptions, examples, isAsOpened, optionsFor } from "./index";

test("no example opens with options that count as changed", () => {
  const changed = examples.filter((each) =>
    changedOptions(optionsFor(each, defaultOptions, null, defaultOptions), each),
  );
  expect(changed.map(({ id }) => id)).toEqual([]);
});

test("what goes along from program to program is said, and can be set back", () => {
  const options = { ...defaultOptions, level: 1 as const, strict: true, disabledPasses: ["row-groups"] };
  const [example] = examples;
  const opened = optionsFor(example!, options, null, defaultOptions);
  const { words, usual } = changedOptions(opened, example!)!;
  expect(words).toEqual(["level 1", "1 pass off", "strict"]);
  expect(changedOptions({ ...opened, ...usual }, example!)).toBeNull();
  // Three is what no choice means.
  expect(changedOptions({ ...defaultOptions, level: 3 }, null)).toBeNull();
});

test("a variant is no longer that variant once a choice is changed", () => {
  for (const lesson of allLessons) {
    const opened = optionsFor(lesson, defaultOptions, null, defaultOptions);
    expect([lesson.id, isAsOpened(opened, lesson)]).toEqual([lesson.id, true]);
    expect(isAsOpened({ ...opened, strict: !opened.strict }, lesson)).toBe(false);
    expect(isAsOpened({ ...opened, forced: [] }, lesson)).toBe(opened.forced.length === 0);
    // Another machine is no other plan of the example.
    expect(isAsOpened({ ...opened, profile: { ...opened.profile, name: "own" } }, lesson)).toBe(true);
  }
});
