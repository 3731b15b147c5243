import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { a100, h100, laptop, type CompileOptions } from "../../src/fusion";
import { compile, defaultOptions } from "../../src/fusion/compile";
import { settled } from "../../src/fusion/settled";
import { allLessons, optionsFor } from "../../src/lessons";
import { caseArbitrary, planned, type Case } from "./plan-laws";
import { remedyFaults, verdictFaults } from "./verdicts";

/** Random programs, and where the random numbers start: VERDICT_LAWS=count:seed says otherwise. */
const [COUNT, SEED] = (process.env["VERDICT_LAWS"] ?? "20:20261122").split(":").map(Number) as [number, number];

/** Of every so many examples one is asked in a way; with VERDICT_LAWS all of them in every way. */
const SHARES = process.env["VERDICT_LAWS"] ? 1 : 6;

/** How often a remedy of one kind is taken in the examples. */
const MOST_ASKED = process.env["VERDICT_LAWS"] ? 4 : 2;

const WAYS: Readonly<Record<string, Partial<CompileOptions>>> = {
  "as they come": {},
  "on a laptop": { profile: laptop },
  "on an A100": { profile: a100 },
  "on an H100": { profile: h100 },
  "level 1": { level: 1 },
  "level 2": { level: 2 },
  primitives: { granularity: "primitive" },
  strict: { strict: true },
  duplicated: { policy: "duplicate" },
  stored: { policy: "materialise" },
  multi: { policy: "multi" },
  library: { matmulPolicy: "threshold", libraryAbove: 100 },
  "small kernels": { groupSize: 1 / 16 },
};

const compiledLesson = (lesson: (typeof allLessons)[number], way: Partial<CompileOptions> = {}) =>
  compile(lesson.text, { ...optionsFor(lesson, defaultOptions, null, defaultOptions), ...way });

/** Attention whose second step makes the one kernel, and takes longer than what the first step left. */
const lastStepSlower: Case = {
  text: "q: f32[1000, 1]\nk: f32[3, 1]\nv: f32[3, 1]\nmask: f32[1000, 3]\ny = scaled_dot_product_attention(q, k, v, attn_mask=mask)",
  ways: [1, 0, 0, 0, 0],
};

describe("the chosen alternative is the best by its criterion, and the sentence says its numbers", () => {
  test.each(Object.entries(WAYS).map(([name, way], i) => [name, way, i] as const))("examples, %s", (_, way, i) => {
    // As they come, all; every other way asks its share of them, and every example is asked in several ways.
    const asked = allLessons.filter((_, at) => i === 0 || (at + i) % SHARES === 0);
    const faults = asked.flatMap((lesson) =>
      compiledLesson(lesson, way)
        .steps.flatMap(verdictFaults)
        .map((text) => `${lesson.id}: ${text}`),
    );
    expect(faults).toEqual([]);
  });

  test("random programs with random options", () => {
    fc.assert(
      fc.property(caseArbitrary, (each) => {
        expect(planned(each).compilation.steps.flatMap(verdictFaults)).toEqual([]);
      }),
      { numRuns: COUNT, seed: SEED, examples: [[lastStepSlower]] },
    );
  });
});

test("rows without elements take a time that is a number", () => {
  const text = `x: f32[0, 3]
v = scatter_nd(sum(x, dim=0, keepdim=True), i, u, reduction="add")
w = v + b
y = transpose(v, 0, 1)
z = relu(v.reshape(3))`;
  const inputs = "i: i32[3, 2] = uniform(0, 1)\nu: f32[3]\nb: f32[1, 3]\n";
  const { compilation } = planned({ text: inputs + text, ways: [0, 0, 0, 0, 0] });
  expect(compilation.steps.flatMap(verdictFaults)).toEqual([]);
});

test("a remedy that names a choice changes the answer in random programs", () => {
  fc.assert(
    fc.property(caseArbitrary, (each) => {
      const { compilation } = planned(each);
      expect(remedyFaults(compilation, compilation.steps)).toEqual([]);
    }),
    { numRuns: COUNT, seed: SEED },
  );
});

test("a remedy that names a choice changes the answer in the examples", () => {
  const asked = new Map<string, number>();
  const faults = allLessons.flatMap((lesson) => {
    const compilation = compiledLesson(lesson);
    const steps = compilation.steps.filter((step) => {
      const { remedyOptions, code } = settled(step);
      const key = `${code} ${step.pass} ${Object.keys(remedyOptions ?? {}).join()}`;
      asked.set(key, (asked.get(key) ?? 0) + 1);
      return remedyOptions !== undefined && asked.get(key)! <= MOST_ASKED;
    });
    return remedyFaults(compilation, steps).map((text) => `${lesson.id}: ${text}`);
  });
  expect(faults).toEqual([]);
});

const square = "x: f32[64, 64]\nw: f32[64, 64]\n";
/** Refusals of what must be stored, and the remedies they name, for a program with these results. */
const storedRefusals = (text: string): readonly string[] =>
  compile(text, defaultOptions).steps.flatMap((step) =>
    !step.accepted && settled(step).code === "L_ROOT" ? [`${step.nodes.join()}: ${settled(step).remedy}`] : [],
  );

test.each([
  ["the left operand of a matmul", `${square}p = relu(x)\ny = p @ w\n`, "p", "y"],
  ["what is sorted", "x: f32[2, 4096]\np = exp(x)\ny = sort(p)\n", "p", "y"],
])("%s: not returning it is what makes one kernel", (_, text, value, others) => {
  expect(storedRefusals(`${text}return ${value}, ${others}`).join()).toMatch(
    new RegExp(`Leave \`${value}\` out of the results`),
  );
  expect(storedRefusals(`${text}return ${others}`)).toEqual([]);
});

test.each([
  ["beside a matmul", `${square}return w @ x, x * 2`],
  ["beside two", `${square}return x @ w, x @ w.T, x * 2`],
  ["beside a sort", "x: f32[2, 4096]\nreturn sort(x), exp(x)"],
])("%s nothing makes a kernel store what does not lead there, and the remedy says so", (_, text) => {
  const found = storedRefusals(text);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((each) => !each.endsWith("Nothing here: a kernel of its own has to store it."))).toEqual([]);
});
