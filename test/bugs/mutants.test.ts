/**
 * @file Every bug that can be switched on is switched on, and the laws must notice. `witnesses.json` has a small program that each
 * bug was noticed at; it is asked first, and where it no longer shows the bug, programs are tried one after the other.
 * `HUNT=1 npx vitest run test/bugs/mutants.test.ts` hunts every bug anew, makes the witnesses small and writes the file; with
 * `BUGS=name,name` those alone.
 */
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { nodeId } from "../../src/fusion/ir";
import { runReference } from "../../src/fusion/reference";
import { computedNodes, graphOf } from "../laws/any-program";
import { dataOf } from "../laws/kernel-harness";
import { derived, strictRounding, programs, rewritten, scaledRows, streamed } from "../laws/kernel-programs";
import { exampleFaults, examples } from "../laws/decisions";
import {
  caseArbitrary,
  expensiveBytes,
  expensiveLaunches,
  firstFault,
  plainly,
  strictly,
  type Case,
} from "../laws/plan-laws";
import { smaller } from "../laws/smaller";
import { allBugs, kernelBugs, countBugs, derivativeBugs, passBugs, withBug, type BugName } from "./index.ts";

/** Random programs a bug may take; MUTANTS=count:seed says otherwise, and with a count of its own only random programs count. */
const [COUNT, SEED] = (process.env["MUTANTS"] ?? "100:7").split(":").map(Number) as [number, number];
const random = fc.sample(caseArbitrary, { numRuns: COUNT, seed: SEED });
const plain = (texts: Readonly<Record<string, string>>, ways = plainly): readonly Case[] =>
  Object.values(texts).map((text) => ({ text, ways }));
const derivations = plain(derived);
/** Where bytes are expensive and one workgroup fills the machine, rows and columns of small tensors share a walk, and no row is cut. */
const uncut = Object.fromEntries(Object.entries(programs).filter(([name]) => /^(mixed|topk-long)/.test(name)));
const [rewrites, kernels] = [
  [...plain(rewritten), ...plain(streamed, expensiveLaunches), ...plain(scaledRows, expensiveBytes)],
  [...plain(programs), ...plain(uncut, expensiveBytes), ...plain(strictRounding, strictly)],
];
/** Smaller candidates that are tried for one witness. */
const TRIES = 60;

/** Where a derivative is not what its program says it is: `off` is the difference. */
function offBy({ text }: Case): string | null {
  const graph = graphOf(text);
  const data = runReference(graph, dataOf(graph)).get(nodeId("off"))?.data ?? [];
  const at = [...data].findIndex((value) => !(Math.abs(value) < 1e-9));
  return at < 0 ? null : `a derivative is off by ${data[at]}`;
}

type Run = <T>(act: () => T) => T;
const named = (part: string, of: Readonly<Partial<Record<BugName, unknown>>>): (readonly [string, Run])[] =>
  Object.keys(of).map((name) => [`${part} ${name}`, (act) => withBug(name as BugName, act)]);
/** Parts of names; BUGS=sign-of,lost asks for these alone. */
const ASKED = process.env["BUGS"]?.split(",");
const bugs = [
  ...named("kernel", kernelBugs),
  ...named("passes", passBugs),
  ...named("counts", countBugs),
  ...named("derivatives", derivativeBugs),
].filter(([name]) => ASKED === undefined || ASKED.some((part) => name.includes(part)));

const WITNESSES = new URL("witnesses.json", import.meta.url);
/** A case, or the name of an example of decisions. */
type Witness = Case | { readonly example: string };
const HUNTED = process.env["HUNT"] === "1" || process.env["MUTANTS"] !== undefined;
const witnesses: Readonly<Record<string, Witness>> = HUNTED ? {} : JSON.parse(readFileSync(WITNESSES, "utf8"));

interface Caught {
  readonly name: string;
  /** Programs that were tried; null when none noticed. */
  readonly after: number | null;
  readonly says: string;
  readonly witness: Witness | null;
}

/** Nodes of a witness; null for an example of decisions, and where there is none. */
const nodesOf = (witness: Witness | null): number | null =>
  witness && "text" in witness ? computedNodes(graphOf(witness.text)) : null;

/** What the laws say of a witness. */
function told(name: string, witness: Witness): string | null {
  if ("text" in witness) return (name.startsWith("derivatives") ? offBy : firstFault)(witness);
  const example = examples.find((one) => one.name === witness.example);
  return example ? guarded(() => exampleFaults(example)) : null;
}

/** A bug that its known witness still shows; null otherwise. */
function known(name: string, run: Run): Caught | null {
  const witness = witnesses[name];
  const says = witness ? run(() => told(name, witness)) : null;
  return witness && says !== null ? { name, after: 1, says, witness } : null;
}

/** The first witness among cases, made small. */
function among(name: string, run: Run, cases: readonly Case[], before: number, law = firstFault): Caught | null {
  const fault = (one: Case): string | null => run(() => law(one));
  const at = cases.findIndex((one) => fault(one) !== null);
  if (at < 0) return null;
  // What a derivative should be is part of the text: made smaller, it must still say so.
  const sound = (one: Case): boolean => law === firstFault || law(one) === null;
  const witness = smaller(cases[at]!, (one) => fault(one) !== null && sound(one), TRIES);
  return { name, after: before + at + 1, says: fault(witness)!, witness };
}

/** The first example that leads to other decisions. */
function decided(name: string, run: Run, before: number): Caught | null {
  for (const [i, example] of examples.entries()) {
    const says = run(() => guarded(() => exampleFaults(example)));
    if (says !== null)
      return { name, after: before + i + 1, says: `${example.name}: ${says}`, witness: { example: example.name } };
  }
  return null;
}

function hunt(name: string, run: Run): Caught {
  const missed: Caught = { name, after: null, says: "", witness: null };
  if (name.startsWith("derivatives")) return among(name, run, derivations, 0, offBy) ?? missed;
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

test("without a bug nothing complains", { timeout: 900_000 }, () => {
  expect(Object.entries(witnesses).flatMap(([name, witness]) => told(name, witness) ?? [])).toEqual([]);
  if (!HUNTED) return;
  expect([...rewrites, ...kernels, ...derivations].flatMap((one) => firstFault(one) ?? [])).toEqual([]);
  expect(derivations.flatMap((one) => offBy(one) ?? [])).toEqual([]);
});

describe(`${rewrites.length + kernels.length + examples.length + random.length} programs each`, () => {
  const caught: Caught[] = [];

  afterAll(() => {
    if (process.env["HUNT"] !== "1") return;
    // Bugs that were not asked for keep their witness; those that are gone lose it.
    const before = JSON.parse(readFileSync(WITNESSES, "utf8")) as Record<string, Witness>;
    const found = new Map(caught.map(({ name, witness }) => [name, witness]));
    const names = Object.keys(allBugs).flatMap((bug) =>
      Object.keys({ ...before, ...Object.fromEntries(found) }).filter((name) => name.endsWith(` ${bug}`)),
    );
    const all = names.flatMap((name) => {
      const witness = found.get(name) ?? before[name];
      return witness ? [[name, witness] as const] : [];
    });
    writeFileSync(WITNESSES, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
  });

  test.each(bugs)("%s is noticed", { timeout: 300_000 }, (name, run) => {
    const found = known(name, run) ?? hunt(name, run);
    caught.push(found);
    expect(found.after).not.toBeNull();
    // A wrong text that names what is not there would stop the compiler: that proves nothing.
    expect(found.says).not.toMatch(/is not defined|is not a function/);
  });

  test("most witnesses are small", () => {
    const sizes = caught.flatMap(({ witness }) => nodesOf(witness) ?? []).toSorted((a, b) => a - b);
    const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
    const rows = caught.map(({ name, after, witness, says }) => {
      const nodes = nodesOf(witness);
      return [
        name.padEnd(32),
        after === null ? "MISSED" : `after ${after}`.padEnd(10),
        nodes === null ? "" : `${nodes} nodes`,
        says.slice(0, 80),
      ].join("  ");
    });
    console.log(`${rows.join("\n")}\nthe median witness has ${median} nodes`);
    // One bug alone may need a large witness, or an example of decisions.
    expect(ASKED ? 0 : median).toBeLessThanOrEqual(4);
  });
});
