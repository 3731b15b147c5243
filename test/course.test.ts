/** @file Every lesson and puzzle keeps what it promises: its pictures exist, each question has one answer, each task can be done. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  bytesOfKernel,
  compile,
  defaultOptions,
  generic,
  inputData,
  runReference,
  targetOf,
  type Compilation,
} from "../src/fusion";
import { countTraffic, prepare } from "../src/wgsl";
import { terms } from "../src/glossary";
import { findExample } from "../src/lessons";
import {
  besideOf,
  loadLesson,
  goalsIn,
  lessonHeads,
  type Ask,
  type Compare,
  type HandFacts,
  type Lesson,
  type LessonStep,
  type Planned,
  type Scope,
  type Show,
  type Task,
} from "../src/course";
import { judge, numberSaid, rightChoice, rightNumber, scopeOf, taskState, usualMistakes } from "../src/course/check";
import { answered, cursorOf, optionsOf, pictureOf } from "../src/course/picture";
import { atSmallSizes, sameInputs, sameValues } from "../src/workers/same-values";
import { filled, inUnit, runsOf } from "../src/course/prose";

/** Words of a step's prose: more are not read beside a moving picture. */
const MAX_WORDS = 60;

const lessons = (await Promise.all(lessonHeads.map(({ id }) => loadLesson(id)))) as Lesson[];

const compiled = new Map<string, Compilation>();
function planned({ text, options }: Planned): Compilation {
  const key = JSON.stringify([text, options]);
  const known = compiled.get(key) ?? compile(text, options);
  compiled.set(key, known);
  return known;
}

/** What a step shows, and what it compares with. */
function programsOf(lesson: Lesson, index: number): { compilation: Compilation; beside: Compilation | null } {
  const picture = pictureOf(lesson, index);
  const text = picture.program ?? findExample(picture.example)?.text ?? "";
  const shown = { text, options: { ...optionsOf(picture), ...findExample(picture.example)?.options } };
  const other = besideOf(lesson, index, shown);
  return { compilation: planned(shown), beside: other && planned(other) };
}

const slug = (name: string): string => name.toLowerCase().replaceAll(" ", "-");
const termIds = new Set(terms.map(({ name }) => slug(name)));

test("the course has twelve lessons, numbered from 1, and puzzles from easy to hard", () => {
  const lengths = lessonHeads.filter(({ kind }) => kind === "lesson").map(({ steps }) => steps);
  expect(lengths.length).toBe(12);
  for (const steps of lengths) expect(steps).toBeGreaterThanOrEqual(5);
  for (const steps of lengths) expect(steps).toBeLessThanOrEqual(9);
  expect(lessonHeads.filter(({ kind }) => kind === "puzzle")).toHaveLength(15);
  const levels = lessonHeads.filter(({ kind }) => kind === "puzzle").map(({ level }) => level);
  expect(levels).toEqual(levels.toSorted((a, b) => a - b));
});

const compare: Compare = async (original, changed, what) => {
  const sameness = (what === "inputs" ? sameInputs : sameValues)(original, changed);
  return sameness.same ? null : sameness.text;
};

/** What is said to those who answer as people often do. */
const butsOf = (ask: Exclude<Ask, { kind: "choice" }>): string[] =>
  ask.kind === "number" ? (ask.slips ?? []).map(({ but }) => but) : Object.values(ask.buts ?? {});

/** Every sentence of a step. */
const sentencesOf = ({ paragraphs, ask, task }: LessonStep): string[] => [
  ...paragraphs,
  ...(ask
    ? [
        ask.question,
        ...(ask.kind === "choice"
          ? ask.choices.flatMap((c) => [c.text, c.because ?? c.but ?? ""])
          : [ask.because, ...butsOf(ask)]),
      ]
    : []),
  ...(task ? [task.text, ...task.hints] : []),
];

/** Lengths from which on a number that the program has as well is no small word of the language. */
const SMALLEST_LENGTH = 8;
const UNITS = "KiB|MiB|GiB|[nµm]s|[KMGT]?FLOP|kernels?|transfers?";

/** Numbers that a sentence types, though a fact gives them: those with a unit, and lengths and counts of the program's tensors. */
function typedNumbers(text: string, { drawn }: Compilation): string[] {
  const said = text.replace(/`[^`]*`|\{[^{}]*\}/g, "");
  const lengths = [...drawn.nodes.values()].flatMap(({ type: { shape } }) => [
    ...shape,
    shape.reduce((product, length) => product * length, 1),
  ]);
  const facts = new Set(lengths.filter((length) => length >= SMALLEST_LENGTH));
  const counts = [...said.matchAll(/(?<![\w.,/])\d[\d,]*(?![\w.])/g)].map(([number]) => number.replace(/,$/, ""));
  return [
    ...[...said.matchAll(new RegExp(`\\d[\\d.,]* (?:${UNITS})\\b`, "g"))].map(([number]) => number),
    ...counts.filter((number) => facts.has(Number(number.replaceAll(",", "")))),
  ];
}

test("a typed number is found where a fact gives it", () => {
  const program = compile("x: f32[2048, 64]\ny = x * 2\nreturn y\n", defaultOptions);
  expect(typedNumbers("A row of 64, in 2,048 rows, 131,072 in all: 512 KiB, 2 transfers.", program)).toEqual([
    "512 KiB",
    "2 transfers",
    "64",
    "2,048",
    "131,072",
  ]);
  expect(typedNumbers("Lesson 4: f32 has 24 bits; `x[64]` of {dim(x, 1)}, 1/64 apart.", program)).toEqual([]);
});

/** What a step promises and does not keep; none when it keeps all. */
async function faultsOf(lesson: Lesson, index: number): Promise<string[]> {
  const step = lesson.steps[index]!;
  const { compilation, beside } = programsOf(lesson, index);
  const errors = [compilation, ...(beside ? [beside] : [])].flatMap(({ diagnostics }) =>
    diagnostics.filter(({ severity, code }) => severity === "error" && !code.startsWith("assert")),
  );
  if (errors.length > 0) return errors.map(({ text }) => text);
  const picture = pictureOf(lesson, index);
  const names = new Set(compilation.symbols.map(({ name }) => name));
  const scope = scopeOf(compilation, null, null, beside)!;
  const prose = step.paragraphs.map((text) => filled(text, scope));
  const words = prose.join(" ").split(/\s+/).length;
  const terms = prose.flatMap((text) => runsOf(text).flatMap(({ term }) => term ?? []));
  return [
    ...(cursorOf(compilation, picture.at) === null ? ["no decision is about the edge that it shows"] : []),
    ...faultsOfCard(compilation, step.ask ? answered(picture.at) : picture.at),
    ...(picture.select !== null && !names.has(picture.select) ? [`${picture.select} is no value`] : []),
    ...(words > MAX_WORDS ? [`${words} words are more than ${MAX_WORDS}`] : []),
    ...sentencesOf(step).flatMap((text) =>
      typedNumbers(text, compilation).map((number) => `${number} is typed: ${text}`),
    ),
    ...terms.filter((term) => !termIds.has(term)).map((term) => `${term} is no term of the glossary`),
    ...(step.ask ? faultsOfAsk(step.ask, scope, names) : []),
    ...(step.task ? await faultsOfTask(step.task, compilation, picture.kernel, scope) : []),
  ];
}

/** Of a decision that a step shows: its card says why two values share a kernel, or why they do not. */
function faultsOfCard(compilation: Compilation, at: Show["at"]): string[] {
  if (typeof at !== "object" || at.when === "before") return [];
  const shown = compilation.steps[cursorOf(compilation, at)! - 1]!;
  return shown.pass === "recognition" ? [`the card is about a name, ${shown.rule}`] : [];
}

function faultsOfAsk(ask: Ask, scope: Scope, names: ReadonlySet<string>): string[] {
  filled(ask.question, scope);
  switch (ask.kind) {
    case "choice": {
      // Throws where none or several of them are right.
      const right = rightChoice(ask, scope);
      for (const { because, but } of ask.choices) filled(because ?? but ?? "", scope);
      // A sentence that holds where a choice is right does not hold where it is wrong: each has its own.
      return ask.choices.flatMap(({ text, because }, i) =>
        (because !== undefined) === (i === right) ? [] : [`"${text}" is ${i === right ? "right" : "wrong"} now`],
      );
    }
    case "number": {
      filled(ask.because, scope);
      const truth = rightNumber(ask, scope);
      const slips = usualMistakes(ask, scope).map(({ value }) => value);
      return [
        ...(truth > 0 ? [] : [`the answer is ${truth}`]),
        ...slips.flatMap((value) =>
          judge(ask, { kind: "number", value }, scope).right ? [`the mistake ${value} is right`] : [],
        ),
        ...(new Set(slips).size < slips.length ? ["two mistakes are the same number"] : []),
      ];
    }
    case "click": {
      filled(ask.because, scope);
      for (const but of butsOf(ask)) filled(but, scope);
      const known = [...ask.answers, ...Object.keys(ask.buts ?? {})].flatMap((answer) => answer.split(" -> "));
      return known.filter((name) => !names.has(name)).map((name) => `${name} is no value`);
    }
  }
}

/** What moves with `wgsl` instead of the first kernel. Its values are compared on WebGPU. */
function handOf({ fusedPlan }: Compilation, wgsl: string | null | undefined): HandFacts | null {
  if (!wgsl || !fusedPlan) return null;
  const [kernel, ...others] = fusedPlan.kernels;
  const made = prepare(kernel!, wgsl, targetOf(generic), true);
  if (!("kernel" in made)) throw new Error(made.map(({ line, text }) => `${line}: ${text}`).join("\n"));
  const counted = countTraffic({ ...made.kernel, wgsl });
  if (!counted.ok) throw new Error(`${counted.line}: ${counted.text}`);
  expect(counted.problems).toEqual([]);
  const bytes = others.reduce((sum, each) => sum + bytesOfKernel(each), 0);
  return { bytes: bytes + bytesOfKernel(counted), right: true };
}

async function faultsOfTask(
  task: Task,
  compilation: Compilation,
  begins: string | null,
  scope: Scope,
): Promise<string[]> {
  filled(task.text, goalsIn(task, scope));
  for (const hint of task.hints) filled(hint, scope);
  const solution = compile(task.solution, { ...compilation.options, ...task.solutionOptions });
  const after = await taskState(task, compilation, solution, compare, handOf(solution, task.kernel));
  const before = await taskState(task, compilation, compilation, compare, handOf(compilation, begins));
  return [
    ...(before.done ? ["the task is done at the start"] : []),
    ...(after.done ? [] : [`the solution does not pass: ${after.text}`]),
    ...(task.hints.length > 3 ? ["more than three hints"] : []),
    ...((task.solutionOptions === undefined) === (task.solutionText === undefined)
      ? []
      : ["a solution is a choice with its words, or a program"]),
    ...(task.kernel === undefined && task.solutionText === undefined && task.solution === compilation.text
      ? ["the solution is the task's program"]
      : []),
  ];
}

describe.each(lessons.map((lesson) => [lesson.id, lesson] as const))("%s", (_, lesson) => {
  test.each(lesson.steps.map((step, i) => [step.title, i] as const))("%s", async (__, i) => {
    expect(await faultsOf(lesson, i)).toEqual([]);
  });
});

test("a row far below the largest value of all becomes 0 / 0, unless its own largest is subtracted", () => {
  const step = lessons.find(({ id }) => id === "rows-in-registers")!.steps.at(-1)!;
  const nans = (program: string): number => {
    const { graph } = compile(atSmallSizes(program), defaultOptions).naive!;
    const x = [...graph.nodes.values()].find(({ op }) => op === "input")!;
    const rows = x.type.shape[0]!;
    // f32 and f64 alike: exp(-1000) is 0.
    const data = inputData(x).map((value, at) => (at < x.type.shape[1]! ? value - 1000 : value));
    const [result] = graph.outputs.map((id) => runReference(graph, new Map([[x.id, data]])).get(id)!);
    return result!.data.filter(Number.isNaN).length / (result!.data.length / rows);
  };
  expect(nans(step.show!.program!)).toBe(1);
  expect(nans(step.task!.solution)).toBe(0);
});

test("a typed number may have thousands, or a comma as its point", () => {
  expect(["1,024", "1024", "1,5", "0.25", "12,345.5", " 7 "].map(numberSaid)).toEqual([
    1024, 1024, 1.5, 0.25, 12345.5, 7,
  ]);
  expect(["", "many", "1,2,3"].map(numberSaid)).toEqual([NaN, NaN, NaN]);
});

test("a whole number is written in full, also where somebody typed it; others have three digits", () => {
  const scope: Scope = { number: (name) => (name === "bytes" ? 1024 : 1023.6), call: () => null };
  expect(filled("{bytes:number} and {micros:number}", scope)).toBe("1,024 and 1,020");
  expect([inUnit(16384, "KiB"), inUnit(1, "kernels"), inUnit(3, "×"), inUnit(10.75, "MiB", "10.75")]).toEqual([
    "16,384 KiB",
    "1 kernel",
    "3×",
    "10.75 MiB",
  ]);
});

test("what is said to a wrong answer speaks against it, then gives the reason; a pass gets the reason", () => {
  const scope: Scope = { number: () => 6, call: () => null };
  const ask: Ask = {
    kind: "number",
    question: "How many?",
    answer: "kernels",
    unit: "kernels",
    within: 0,
    because: "They are {kernels}.",
    slips: [{ answer: "kernels / 2", but: "{kernels / 2} are those that read." }],
  };
  const said = (value: number) => judge(ask, { kind: "number", value }, scope).because;
  expect(said(3)).toBe("3 are those that read. They are 6.");
  expect(said(4)).toBe("They are 6.");
  expect(said(6)).toBe("They are 6.");
  expect(judge(ask, { kind: "pass" }, scope)).toMatchObject({ right: false, because: "They are 6." });
});

test("no task is done by smaller inputs, inputs known before the run, another device, or other results", async () => {
  const text = "N = 4096\nx: f32[N, N]\ny = x * x\nloss = y.sum()\nreturn loss, y\n";
  const solution = "N = 4096\nx: f32[N, N]\nloss = (x * x).sum()\nreturn loss\n";
  const begun = compile(text, defaultOptions);
  const task: Task = { text: "", check: "bytes <= 65 MiB", values: "solution", hints: [], solution };
  const state = (changed: string, profile = defaultOptions.profile) =>
    taskState(task, begun, compile(changed, { ...defaultOptions, profile }), compare);
  expect(await state(solution)).toMatchObject({ done: true });
  expect(await state(solution.replace("4096", "64"))).toMatchObject({
    done: false,
    text: expect.stringMatching(/the task gives f32\[4096/),
  });
  expect(await state(solution.replace("[N, N]", "[N, N] = param()"))).toMatchObject({
    text: expect.stringMatching(/has different data or a different role/),
  });
  expect(await state(solution, { ...defaultOptions.profile, name: "mine" })).toMatchObject({
    text: expect.stringMatching(/in Options again/),
  });
  expect(await state(solution.replace("x * x", "x"))).toMatchObject({
    text: expect.stringMatching(/Output 1 differs/),
  });
  expect(await state(solution.replace("return loss", "z: f32[N]\nreturn loss"))).toMatchObject({ done: false });
});

test("a lesson's file that lacks something is refused by name", async () => {
  const { readLesson } = await import("../scripts/lesson-files.mjs");
  expect(() => readLesson("## A step", "x.md")).toThrow("x.md: no front matter");
  const path = new URL("../src/course/lessons/01-memory-is-the-cost.md", import.meta.url);
  expect(readLesson(readFileSync(path, "utf8"), path.pathname)).toMatchObject({
    id: "memory-is-the-cost",
    kind: "lesson",
  });
});
