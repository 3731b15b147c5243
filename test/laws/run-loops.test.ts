/** @file Loops that go on with each row by itself stay loops: the values of the body written out, the counts of what is touched, one kernel. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printGraph } from "../../src/fusion/text";
import { longRunArbitrary, runLoopArbitrary } from "./any-run-loop";
import { graphOf } from "./kernel-harness";
import { expectSameLoop } from "./same-loop";
import { firstFault } from "./plan-laws";

describe.each([
  ["that a thread holds", runLoopArbitrary],
  ["that the threads of a workgroup share", longRunArbitrary],
])("a loop along rows of their own, %s", (_, programs) => {
  test("is what it is written out", () => {
    fc.assert(
      fc.property(programs, ({ text, unrolled }) => expectSameLoop(graphOf(text), graphOf(unrolled))),
      { numRuns: 10 },
    );
  });

  test("its text reads as the same graph", () => {
    fc.assert(
      fc.property(programs, ({ text }) => {
        const printed = printGraph(graphOf(text));
        expect(printGraph(graphOf(printed))).toBe(printed);
      }),
      { numRuns: 6 },
    );
  });

  test("launched and inside kernels: values, counts, addresses", { timeout: 240_000 }, () => {
    fc.assert(
      fc.property(programs, fc.nat({ max: 2 }), fc.nat({ max: 5 }), ({ text }, granularity, profile) => {
        expect(firstFault({ text, ways: [granularity, 0, 0, profile, 0] })).toBeNull();
      }),
      { numRuns: 6 },
    );
  });
});
