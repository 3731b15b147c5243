/** @file Runs a law on the corpus and on random cases; a failure names its seed and the smallest program that shows it. */
import fc from "fast-check";
import { onceFailing } from "./corpus";
import { caseArbitrary, type Case } from "./plan-laws";
import { smaller } from "./smaller";

/** Graphs a run, and where the random numbers start: PLAN_LAWS=count:seed says otherwise. */
const [COUNT, SEED] = (process.env["PLAN_LAWS"] ?? "30:20261120").split(":").map(Number) as [number, number];

/** Throws with the smallest failing program. */
export function everyPlan(faults: (one: Case) => readonly string[]): void {
  const guarded = (one: Case): readonly string[] => {
    try {
      return faults(one);
    } catch (error) {
      return [String(error)];
    }
  };
  const complain = (one: Case, from: string): never => {
    const small = smaller(one, (candidate) => guarded(candidate).length > 0);
    const report = { from, ...small, text: small.text.split("\n") };
    throw new Error(`${guarded(small).join("\n")}\n\n${small.text}\n\n${JSON.stringify(report)}`);
  };
  for (const one of onceFailing) if (guarded(one).length > 0) complain(one, "corpus");
  const result = fc.check(
    fc.property(caseArbitrary, (one) => guarded(one).length === 0),
    { numRuns: COUNT, seed: SEED, endOnFailure: true },
  );
  if (result.failed) complain(result.counterexample![0], `seed ${result.seed}, after ${result.numRuns} graphs`);
}

export const planned = `${COUNT} random programs, seed ${SEED}, and ${onceFailing.length} that once failed`;
