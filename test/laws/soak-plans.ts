/**
 * @file `node soak-plans.mjs COUNT:SEED [LAW]`, bundled by `npm run soak`: the laws of whole plans on COUNT random programs, as they
 * are written or made into others, with loops, or of blocks. It goes on after a failure. Its last line is a record of the batch: how many
 * failed, the slowest plan, and the smallest program for each kind of failure.
 */
import fc from "fast-check";
import { blockCases } from "./any-block";
import { loopArbitrary, type LoopProgram } from "./any-loop";
import { rowLoopArbitrary } from "./any-row-loop";
import { longRunArbitrary, runLoopArbitrary } from "./any-run-loop";
import { batched } from "./batched-case";
import { differentiated } from "./gradient-case";
import { wideCaseArbitrary, planned, runFaults, strictFaults, structureFaults, type Case } from "./plan-laws";
import { smaller } from "./smaller";

const [count, seed] = (process.argv[2] ?? "20:1").split(":").map(Number) as [number, number];
const law = process.argv[3] ?? "plans";
/** What becomes of a random program, where the law is not about those that are written; null where it can't be made into this. */
const MADE: Readonly<Record<string, (one: Case) => Case | null>> = {
  strict: ({ text, ways: [granularity, policy, , profile, pin, choice] }) => ({
    text,
    ways: [granularity, policy, 15, profile, pin, choice],
  }),
  gradients: differentiated,
  batches: batched,
  // All inputs, or every other one.
  halves: ({ text, ways }) => {
    let at = text.length % 3;
    return { ways, text: text.replaceAll(": f32[", (whole) => (at++ % 3 === 0 ? whole : ": f16[")) };
  },
};
/** Programs with a loop that stays one, or the same written out, with the options of other random programs. */
const loopCase: fc.Arbitrary<Case> = fc
  .tuple(
    fc.oneof<fc.Arbitrary<LoopProgram>[]>(loopArbitrary, rowLoopArbitrary, runLoopArbitrary, longRunArbitrary),
    wideCaseArbitrary,
    fc.nat({ max: 9 }),
  )
  .map(([{ text, unrolled }, { ways }, apart]) => ({ text: apart === 0 ? unrolled : text, ways }));
/** What programs of a law are made from. */
const SOURCES: Readonly<Record<string, fc.Arbitrary<Case>>> = { loops: loopCase, blocks: blockCases(8) };
/** The program whose plan took most processor time. */
let slowest: Case & { readonly millis: number } = { millis: 0, text: "", ways: [0, 0, 0, 0, 0] };
/** Smaller candidates that are tried for one witness. */
const TRIES = 80;

function faultsOf(one: Case): readonly string[] {
  try {
    const begin = process.cpuUsage();
    const plan = planned(one);
    const { user, system } = process.cpuUsage(begin);
    if (user + system > 1000 * slowest.millis) slowest = { millis: Math.round((user + system) / 1000), ...one };
    const runs = (["gpu", "cpu"] as const).flatMap((schedule) => runFaults(plan, schedule, one.text.length));
    return [...structureFaults(plan), ...runs, ...(plan.compilation.options.strict ? strictFaults(plan) : [])];
  } catch (error) {
    return [String(error)];
  }
}

/** The fault without its numbers and names. */
const kindOf = (fault: string): string =>
  fault
    .replaceAll(/\d+(?:\.\d+)?(?:e[-+]\d+)?/g, "#")
    .replaceAll(/\b[xv]#[\w/.#~]*/g, "v")
    .slice(0, 60);

const began = Date.now();
const failures: { readonly says: string; readonly ways: Case["ways"]; readonly text: string }[] = [];
const kinds = new Set<string>();
let failing = 0;
for (const written of fc.sample(SOURCES[law] ?? wideCaseArbitrary, { numRuns: count, seed })) {
  const one = MADE[law] ? MADE[law](written) : written;
  if (!one) continue;
  const [first] = faultsOf(one);
  if (first === undefined) continue;
  failing++;
  const kind = kindOf(first);
  if (kinds.has(kind)) continue;
  kinds.add(kind);
  const small = smaller(one, (candidate) => faultsOf(candidate).some((fault) => kindOf(fault) === kind), TRIES);
  failures.push({ says: faultsOf(small)[0]!, ...small });
}
const seconds = Math.round((Date.now() - began) / 1000);
console.log(JSON.stringify({ law, seed, count, failing, seconds, date: new Date().toISOString(), slowest, failures }));
