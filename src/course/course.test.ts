/** @file Every lesson and puzzle keeps what it promises: its pictures exist, each question has one answer, each task can be done. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile, type Compilation } from "../fusion";
import { terms } from "../glossary";
import { findExample } from "../lessons";
import { loadLesson, lessonHeads, type Lesson } from ".";
import { judge, rightChoice, rightNumber, scopeOf, taskState } from "./check";
import { cursorOf, optionsOf, pictureOf } from "./picture";
import { filled, runsOf } from "./prose";

/** Words of a step's prose: more are not read beside a moving picture. */
const MOST_WORDS = 60;

const lessons = (await Promise.all(lessonHeads.map(({ id }) => loadLesson(id)))) as Lesson[];

const compiled = new Map<string, Compilation>();
function compilationOf(lesson: Lesson, index: number): Compilation {
  const picture = pictureOf(lesson, index);
  const program = picture.program ?? findExample(picture.example)?.text ?? "";
  const options = { ...optionsOf(picture), ...findExample(picture.example)?.options };
  const key = JSON.stringify([program, options]);
  const known = compiled.get(key) ?? compile(program, options);
  compiled.set(key, known);
  return known;
}

const slug = (name: string): string => name.toLowerCase().replaceAll(" ", "-");
const termIds = new Set(terms.map(({ name }) => slug(name)));

test("the course has twelve lessons, numbered from 1, and puzzles from easy to hard", () => {
  const lengths = lessonHeads.filter(({ kind }) => kind === "lesson").map(({ steps }) => steps);
  expect(lengths.length).toBeGreaterThanOrEqual(6);
  for (const steps of lengths) expect(steps).toBeGreaterThanOrEqual(5);
  for (const steps of lengths) expect(steps).toBeLessThanOrEqual(9);
  const levels = lessonHeads.filter(({ kind }) => kind === "puzzle").map(({ level }) => level);
  expect(levels).toEqual(levels.toSorted((a, b) => a - b));
});

describe.each(lessons.map((lesson) => [lesson.id, lesson] as const))("%s", (_, lesson) => {
  test.each(lesson.steps.map((step, i) => [step.title, i] as const))("%s", (__, i) => {
    const step = lesson.steps[i]!;
    const compilation = compilationOf(lesson, i);
    expect(
      compilation.diagnostics
        .filter(({ severity, code }) => severity === "error" && !code.startsWith("assert"))
        .map(({ text }) => text),
    ).toEqual([]);
    const picture = pictureOf(lesson, i);
    expect(cursorOf(compilation, picture.at), "the decision that the step shows").not.toBeNull();
    const names = compilation.symbols.map(({ name }) => name);
    if (picture.select !== null) expect(names).toContain(picture.select);
    const scope = scopeOf(compilation)!;
    const texts = [...step.paragraphs];
    expect(texts.join(" ").split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS);
    for (const text of texts)
      for (const run of runsOf(filled(text, scope))) if (run.term) expect(termIds).toContain(run.term);
    if (step.ask) {
      filled(step.ask.question, scope);
      if (step.ask.kind === "choice") {
        const right = rightChoice(step.ask, scope);
        for (const { because } of step.ask.choices) filled(because, scope);
        expect(judge(step.ask, { kind: "choice", index: right }, scope).right).toBe(true);
      } else if (step.ask.kind === "number") {
        expect(rightNumber(step.ask, scope)).toBeGreaterThan(0);
        filled(step.ask.because, scope);
      } else {
        const known =
          step.ask.target === "value" ? step.ask.answers : step.ask.answers.flatMap((edge) => edge.split(" -> "));
        for (const name of known) expect(names).toContain(name);
      }
    }
    if (step.task) {
      const original = compilation.text;
      const before = taskState(step.task, original, compilation);
      expect(before.done, "the task is not done at the start").toBe(false);
      const after = compile(step.task.solution, { ...compilation.options, ...step.task.solutionOptions });
      expect(taskState(step.task, original, after)).toMatchObject({ done: true, text: "" });
      expect(step.task.hints.length).toBeLessThanOrEqual(3);
    }
  });
});

test("a lesson's file that lacks something is refused by name", async () => {
  const { readLesson } = await import("../../scripts/lesson-files.mjs");
  expect(() => readLesson("## A step", "x.md")).toThrow("x.md: no front matter");
  const path = new URL("./lessons/01-memory-is-the-cost.md", import.meta.url);
  expect(readLesson(readFileSync(path, "utf8"), path.pathname)).toMatchObject({
    id: "memory-is-the-cost",
    kind: "lesson",
  });
});
