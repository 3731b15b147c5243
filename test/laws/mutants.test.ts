/** @file Every bug that can be switched on is switched on: the laws must notice, within a bounded number of programs, and make the witness small. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { codegenMutations, withMutation as withCodegenBug } from "../../src/fusion/codegen";
import { countMutations, withCountMutation } from "../../src/fusion/cost/mutations";
import { passMutations, withMutation as withPassBug } from "../../src/fusion/passes/mutations";
import { computedNodes, graphOf } from "./any-program";
import { programs, rewritten, streamed } from "./codegen-programs";
import { exampleFaults, examples } from "./decisions";
import { caseArbitrary, dearLaunches, firstFault, plainly, type Case } from "./plan-laws";
import { smaller } from "./smaller";

/** Random programs a bug may take; MUTANTS=count:seed says otherwise, and with a count of its own only random programs count. */
const [COUNT, SEED] = (process.env["MUTANTS"] ?? "100:7").split(":").map(Number) as [number, number];
const random = fc.sample(caseArbitrary, { numRuns: COUNT, seed: SEED });
const plain = (texts: Readonly<Record<string, string>>): readonly Case[] =>
  Object.values(texts).map((text) => ({ text, ways: plainly }));
const eager = (texts: Readonly<Record<string, string>>): readonly Case[] =>
  Object.values(texts).map((text) => ({ text, ways: dearLaunches }));
const [rewrites, kernels] = [[...plain(rewritten), ...eager(streamed)], plain(programs)];
/** Smaller candidates that are tried for one witness. */
const TRIES = 60;

type Run = <T>(act: () => T) => T;
const bugs: readonly (readonly [name: string, run: Run])[] = [
  ...codegenMutations.map(
    (name) => [`codegen ${name}`, (act) => withCodegenBug(name, act)] as const satisfies [string, Run],
  ),
  ...passMutations.map((name) => [`passes ${name}`, (act) => withPassBug(name, act)] as const satisfies [string, Run]),
  ...countMutations.map(
    (name) => [`counts ${name}`, (act) => withCountMutation(name, act)] as const satisfies [string, Run],
  ),
];

interface Caught {
  readonly name: string;
  /** Programs that were tried; null when none noticed. */
  readonly after: number | null;
  readonly says: string;
  /** Nodes of the smallest witness; null where an example of decisions noticed. */
  readonly nodes: number | null;
}

/** The first witness among cases, made small. */
function among(name: string, run: Run, cases: readonly Case[], before: number): Caught | null {
  const fault = (one: Case): string | null => run(() => firstFault(one));
  const at = cases.findIndex((one) => fault(one) !== null);
  if (at < 0) return null;
  const witness = smaller(cases[at]!, (one) => fault(one) !== null, TRIES);
  return { name, after: before + at + 1, says: fault(witness)!, nodes: computedNodes(graphOf(witness.text)) };
}

/** The first example that leads to other decisions. */
function decided(name: string, run: Run, before: number): Caught | null {
  for (const [i, example] of examples.entries()) {
    const says = run(() => guarded(() => exampleFaults(example)));
    if (says !== null) return { name, after: before + i + 1, says: `${example.name}: ${says}`, nodes: null };
  }
  return null;
}

function hunt(name: string, run: Run): Caught {
  const missed: Caught = { name, after: null, says: "", nodes: null };
  if (process.env["MUTANTS"]) return among(name, run, random, 0) ?? missed;
  const [first, second] = name.startsWith("passes") ? [rewrites, kernels] : [kernels, rewrites];
  let before = first.length;
  return (
    among(name, run, first, 0) ??
    decided(name, run, before) ??
    among(name, run, second, (before += examples.length)) ??
    among(name, run, random, before + second.length) ??
    missed
  );
}

/** A bug that stops the compiler is noticed, too. */
function guarded(ask: () => readonly string[]): string | null {
  try {
    return ask()[0] ?? null;
  } catch (error) {
    return String(error);
  }
}

test("without a bug nothing complains", () => {
  expect([...rewrites, ...kernels].flatMap((one) => firstFault(one) ?? [])).toEqual([]);
});

test(
  `${bugs.length} injected bugs, ${rewrites.length + kernels.length + examples.length + random.length} programs each`,
  { timeout: 900_000 },
  () => {
    const caught = bugs.map(([name, run]) => hunt(name, run));
    const found = caught.filter(({ after }) => after !== null);
    const sizes = found.flatMap(({ nodes }) => (nodes === null ? [] : [nodes])).toSorted((a, b) => a - b);
    const median = sizes[Math.floor(sizes.length / 2)]!;
    const rows = caught.map(({ name, after, nodes, says }) =>
      [
        name.padEnd(32),
        after === null ? "MISSED" : `after ${after}`.padEnd(10),
        nodes === null ? "" : `${nodes} nodes`,
        says.slice(0, 80),
      ].join("  "),
    );
    console.log(`${rows.join("\n")}\ncaught ${found.length} of ${bugs.length}; the median witness has ${median} nodes`);
    expect(found.length / bugs.length).toBeGreaterThanOrEqual(0.95);
    expect(median).toBeLessThanOrEqual(4);
  },
);
