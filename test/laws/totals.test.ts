import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { a100, generic, h100, laptop, type CompileOptions, type DeviceProfile } from "../../src/fusion";
import { compile, compileGraph, defaultOptions } from "../../src/fusion/compile";
import type { Compilation } from "../../src/fusion/compilation";
import { allLessons, optionsFor as lessonOptions, type Example } from "../../src/lessons";
import { graphOf } from "../random-graph";
import { caseArbitrary, optionsFor } from "./plan-laws";
import { priceFaults, totalsFaults } from "./totals";

/** A large GPU whose launches are cheap, with the numbers of docs/measurements.md. */
const measured: DeviceProfile = {
  ...generic,
  name: "measured",
  bandwidth: 4.13e12,
  peakFlops: 50.8e12,
  launchMicros: 1.85,
  multiprocessors: 132,
};

const large = ({ text, sizes }: Example): string =>
  sizes ? text.replace(new RegExp(`^${sizes.name} = \\d+`, "m"), `${sizes.name} = ${sizes.L}`) : text;

const WAYS: Readonly<Record<string, Partial<CompileOptions>>> = {
  "level 0": { level: 0 },
  "level 1": { level: 1 },
  "level 2": { level: 2 },
  "level 3": { level: 3 },
  primitives: { granularity: "primitive" },
};
/** Of five ways every example is planned in three, and every way plans most examples; with PLAN_LAWS all in every way. */
const isAsked = (example: number, way: number): boolean =>
  process.env.PLAN_LAWS !== undefined || (example + way) % 5 < 3;
const PROFILES = [generic, laptop, a100, h100, measured];

const faultsOf = (compilation: Compilation): string[] =>
  compilation.naivePlan ? [...totalsFaults(compilation), ...priceFaults(compilation)] : [];

describe("totals are what the kernels add up to, and no plan is priced above its naive one unasked", () => {
  test.each(Object.entries(WAYS).map(([name, way], i) => [name, way, i] as const))(
    "examples, %s",
    { timeout: 300_000 },
    (_, way, number) => {
      const faults = allLessons.flatMap((lesson, i) => {
        if (!isAsked(i, number)) return [];
        // Every example is met in both sizes and on several profiles, at one level or another.
        const turn = i + (way.level ?? 4);
        const profile = PROFILES[turn % PROFILES.length]!;
        const options = { ...lessonOptions(lesson, defaultOptions, null, defaultOptions), ...way, profile };
        const text = turn % 2 === 0 ? large(lesson) : lesson.text;
        return faultsOf(compile(text, options)).map((fault) => `${lesson.id}, ${profile.name}: ${fault}`);
      });
      expect(faults).toEqual([]);
    },
  );

  test("random programs with random options", { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(caseArbitrary, ({ text, ways }) => {
        const graph = graphOf(text);
        expect(faultsOf(compileGraph(graph, { ...defaultOptions, ...optionsFor(graph, ways) }))).toEqual([]);
      }),
      { numRuns: Number(process.env.PLAN_LAWS ?? 80), seed: 20261123 },
    );
  });
});
