import { expect, test } from "vitest";
import { passCatalogue } from "../../fusion";
import { findExample } from "../examples";
import { findNote, noteKinds, notes, notesOfExample, notesOfPass } from "./index";

const named = notes.map((note) => [note.id, note] as const);

test.each(named)("%s names examples and passes that there are", (_, { examples = [], tries = [], passes = [] }) => {
  const missing = [...examples, ...tries.map(({ opens }) => opens)].filter((id) => !findExample(id));
  const known = new Set(passCatalogue.map(({ name }) => name));
  expect([missing, passes.filter((pass) => !known.has(pass))]).toEqual([[], []]);
});

test.each(named)("%s is short, and closes its backticks", (_, { text, title }) => {
  expect(text.join(" ").split(/\s+/).length).toBeLessThan(110);
  for (const paragraph of [title, ...text]) {
    expect(paragraph.split("`").length % 2).toBe(1);
    expect(paragraph).not.toMatch(/!|\bsimply\b|\bmagic\b|\boops\b/i);
  }
});

test("ids and titles are unique, and every kind has its shelf", () => {
  expect(new Set(notes.map(({ id }) => id)).size).toBe(notes.length);
  expect(new Set(notes.map(({ title }) => title)).size).toBe(notes.length);
  expect(new Set(notes.map(({ kind }) => kind))).toEqual(new Set(noteKinds.map(({ kind }) => kind)));
  expect(findNote("nothing")).toBeNull();
});

test("nine questions, each with programs that differ", () => {
  const questions = notes.filter(({ kind }) => kind === "question");
  expect(questions).toHaveLength(9);
  for (const { tries } of questions) expect(new Set(tries!.map(({ opens }) => opens)).size).toBeGreaterThan(1);
});

test("every pass has a note beside it", () => {
  expect(passCatalogue.filter(({ name }) => notesOfPass(name).length === 0)).toEqual([]);
});

test("a variant has the notes of its example; an example not those of one variant", () => {
  const ids = (id: string): string[] => notesOfExample(id).map((note) => note.id);
  expect(ids("matmul-bias-relu/library")).toContain("tiles");
  expect(ids("softmax")).toContain("question-3");
  expect(ids("saved-values/invert")).not.toContain("practice");
  expect(notesOfExample(null)).toEqual([]);
});
