/** @file Random programs with their gradients: forward and backward as one graph obey the laws of plans. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { differentiated } from "./gradient-case";
import { caseArbitrary, planned, runFaults, structureFaults, type Case } from "./plan-laws";

const [COUNT, SEED] = (process.env["GRADIENT_LAWS"] ?? "150:20261120").split(":").map(Number) as [number, number];

test(
  `gradients of ${COUNT} random programs, seed ${SEED}: planned, counted and computed like any graph`,
  { timeout: 300_000 },
  () => {
    let taken = 0;
    const faults = (one: Case): readonly string[] => {
      const whole = differentiated(one);
      if (!whole) return [];
      taken++;
      const plan = planned(whole);
      return [...structureFaults(plan), ...runFaults(plan, "cpu", one.text.length)];
    };
    const result = fc.check(fc.property(caseArbitrary, (one) => faults(one).length === 0), { numRuns: COUNT, seed: SEED, endOnFailure: true }); // prettier-ignore
    const failing = result.failed ? differentiated(result.counterexample![0])!.text : "";
    expect(result.failed ? [failing, ...faults(result.counterexample![0])] : []).toEqual([]);
    expect(taken).toBeGreaterThan(COUNT / 4);
  },
);
