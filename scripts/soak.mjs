/**
 * @file `npm run soak [-- --factor 40 --seeds 100000]`: the laws on random programs at full count, from a fresh start, with the
 * result written to docs/soak.md. `npm test` runs the same laws at a size that fits its time.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { factor: { type: "string" }, seeds: { type: "string" }, seed: { type: "string" } },
});
const factor = Number(values.factor ?? 40);
const seeds = Number(values.seeds ?? 100_000);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const report = ".cache/reports/soak.json";
const files = ["test/laws/codegen.test.ts", "test/laws/passes.test.ts", "test/laws/text.test.ts"];

mkdirSync(".cache/reports", { recursive: true });
const began = Date.now();
const { status } = spawnSync(
  "node_modules/.bin/vitest",
  ["run", ...files, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, "--testTimeout=36000000"],
  {
    stdio: "inherit",
    env: { ...process.env, CODEGEN_SEEDS: String(seeds), LAW_FACTOR: String(factor), LAW_SEED: String(seed) },
  },
);
const minutes = Math.round((Date.now() - began) / 60_000);
const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
const failures = testResults.flatMap(({ assertionResults }) =>
  assertionResults.filter((each) => each.status === "failed").map(({ fullName }) => `- ${fullName}`),
);
const text = `# Soak

${new Date().toISOString().slice(0, 10)}, ${minutes} minutes: **${numPassedTests} laws passed, ${numFailedTests} failed.**

- ${seeds} random programs, every op alone and in random kernels, on the CPU interpreter of the lowered kernels: values equal the f64 reference, logged addresses equal the counted ones, no race, no access out of bounds.
- ${250 * factor} random programs at each granularity through all passes: every step acyclic, complete, exactly counted, replayable; start ${seed}.
- ${150 * factor} random texts for each law of reading, printing and editing.
${failures.length > 0 ? `\nFailed:\n\n${failures.join("\n")}\n` : ""}`;
writeFileSync("docs/soak.md", text);
process.exit(status ?? 1);
