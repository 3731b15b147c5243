/** @file Programs as people paste them who are new, or up to mischief: each has a plan, or a message that says what, where and what to do. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile, defaultOptions, PATIENCE } from "../src/fusion";

const programs = readFileSync(new URL("fixtures/odd-programs.txt", import.meta.url), "utf8")
  .split(/^#---- /m)
  .slice(1)
  .map((part) => {
    const end = part.indexOf("\n");
    return { name: part.slice(0, end), text: part.slice(end + 1) };
  });
/** Milliseconds of processor time. A busy machine takes longer for the same, and only a runaway is meant. */
const MOST_MILLIS = 4000;

test(`${programs.length} odd programs: each is answered, soon and in sentences`, { timeout: 300_000 }, async () => {
  const faults: string[] = [];
  const answers = programs.map(({ name, text }) => {
    const began = process.cpuUsage();
    const { diagnostics, fusedPlan } = compile(text, defaultOptions, undefined, PATIENCE);
    const { user, system } = process.cpuUsage(began);
    if (user + system > 1000 * MOST_MILLIS) faults.push(`${name} takes ${Math.round((user + system) / 1000)} ms`);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const plan = fusedPlan
      ? fusedPlan.kernels.length === 0
        ? "nothing to compute"
        : fusedPlan.kernels.map((kernel) => kernel.name).join(", ")
      : "no plan";
    const said = errors.slice(0, 3).map(({ line, column, text: what }) => `  ${line}:${column} ${what}`);
    const odd = errors.find(({ text: what }) => /undefined|\[object/.test(what));
    if (odd) faults.push(`${name}: ${odd.text}`);
    return [`${name}: ${errors.length > 0 ? "refused" : plan}`, ...said].join("\n");
  });
  expect(faults).toEqual([]);
  await expect(`${answers.join("\n")}\n`).toMatchFileSnapshot("fixtures/odd-answers.txt");
});
