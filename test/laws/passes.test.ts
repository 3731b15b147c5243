/** @file Laws of the passes on random programs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { allPasses, passOrder } from "../../src/fusion/passes";
import { graphOf, programArbitrary } from "../random-graph";
import { compiled, silentEdges, stepFaults, valueFaults } from "./pass-harness";

/** `npm test` asks for a quarter of everything; the soak for many times as much, and from another start. */
const FACTOR = Number(process.env["LAW_FACTOR"] ?? 0.25);
const SEED = Number(process.env["LAW_SEED"] ?? 20260101);

const property = (check: (text: string) => void, numRuns: number): void =>
  fc.assert(
    fc.property(programArbitrary, (text) => check(text)),
    { numRuns: Math.ceil(numRuns * FACTOR), seed: SEED },
  );

describe("every step of every plan", () => {
  test.each(["op", "primitive"] as const)(
    "%s: acyclic, complete, exactly counted, replayable, never more bytes",
    (granularity) => {
      property((text) => {
        expect(stepFaults(compiled(graphOf(text), { granularity }))).toEqual([]);
      }, 250);
    },
  );

  test.each(["materialise", "duplicate", "multi"] as const)("policy %s keeps the laws", (policy) => {
    property((text) => {
      const mayDuplicate = policy === "duplicate";
      expect(stepFaults(compiled(graphOf(text), { granularity: "primitive", policy }), { mayDuplicate })).toEqual([]);
    }, 80);
  });

  test("every edge between two kernels of the final plan was decided", () => {
    property((text) => {
      expect(silentEdges(compiled(graphOf(text), { granularity: "primitive" }))).toEqual([]);
    }, 250);
  });
});

describe("passes in another order", () => {
  const names = allPasses.map(({ name }) => name);
  const order = fc.shuffledSubarray(names, { minLength: names.length }).map((shuffled) => {
    // Two passes have a position of their own; all others may be swapped.
    const others = shuffled.filter((name) => name !== "canonicalise" && name !== "budget-split");
    return ["canonicalise", ...others, "budget-split"];
  });

  test("every state is complete, every value the same", () => {
    fc.assert(
      fc.property(programArbitrary, order, fc.constantFrom("op", "primitive"), (text, wanted, granularity) => {
        expect(passOrder(wanted)).toEqual(wanted);
        const graph = graphOf(text);
        const compilation = compiled(graph, { granularity, order: wanted });
        expect(stepFaults(compilation)).toEqual([]);
        expect(valueFaults(graph, fusionAt(compilation, compilation.steps.length))).toEqual([]);
      }),
      { numRuns: Math.ceil(120 * FACTOR), seed: SEED },
    );
  });
});

describe("values", () => {
  test("the final plan computes what the source says", () => {
    property((text) => {
      const graph = graphOf(text);
      const compilation = compiled(graph, { granularity: "primitive" });
      expect(valueFaults(graph, fusionAt(compilation, compilation.steps.length))).toEqual([]);
    }, 250);
  });

  test.each(allPasses.map(({ name }) => name))("%s alone changes no value", (name) => {
    const disabledPasses = allPasses.map((pass) => pass.name).filter((other) => other !== name);
    property((text) => {
      const graph = graphOf(text);
      const compilation = compiled(graph, { granularity: "primitive", disabledPasses });
      expect(valueFaults(graph, fusionAt(compilation, compilation.steps.length))).toEqual([]);
    }, 60);
  });
});
