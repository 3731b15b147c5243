import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { a100, h100, laptop, type CompileOptions } from "../../src/fusion";
import { compile, defaultOptions } from "../../src/fusion/compile";
import { settled } from "../../src/fusion/decision-bars";
import { allLessons, optionsFor } from "../../src/lessons";
import { caseArbitrary, planned } from "./plan-laws";
import { remedyFaults, verdictFaults } from "./verdicts";

/** Random programs, and where the random numbers start: VERDICT_LAWS=count:seed says otherwise. */
const [COUNT, SEED] = (process.env["VERDICT_LAWS"] ?? "40:20261122").split(":").map(Number) as [number, number];

/** Of every so many examples one is asked in a way; with VERDICT_LAWS all of them in every way. */
const SHARES = process.env["VERDICT_LAWS"] ? 1 : 4;

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
      { numRuns: COUNT, seed: SEED },
    );
  });
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
      return remedyOptions !== undefined && asked.get(key)! <= 4;
    });
    return remedyFaults(compilation, steps).map((text) => `${lesson.id}: ${text}`);
  });
  expect(faults).toEqual([]);
});
