/**
 * @file `npm test`: types, lint, import rules, format; then a browser, whose software GPU Node's WebGPU uses too; unit
 * and property tests, the build, its budgets, and the user's stories in the browser. What was skipped is listed by file, what failed by name. Ends with
 * one line, `N passed, N failed`; a failed stage counts as one failure.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { relative } from "node:path";

const reports = ".cache/reports";
const vitestReport = `${reports}/vitest.json`;
const playwrightReport = `${reports}/playwright.json`;
const began = Date.now();
const tally = { passed: 0, failed: 0 };
const NOT_RUN = new Set(["skipped", "pending", "todo"]);
/** Names of the stages, tests and stories that failed. */
const failures = [];
/** Skipped tests by file. */
const skipped = new Map();
const skip = (file, count) => count > 0 && skipped.set(file, (skipped.get(file) ?? 0) + count);

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

function run(title, command, args, env = {}) {
  const start = Date.now();
  console.log(`\n── ${title}`);
  const { status, error } = spawnSync(command, args, {
    stdio: "inherit",
    env: { ...process.env, ...env },
    shell: process.platform === "win32",
  });
  const ok = status === 0 && !error;
  console.log(
    `── ${title}: ${ok ? "ok" : `failed${error ? `, ${error.message}` : ""}`} (${Math.round((Date.now() - start) / 1000)} s)`,
  );
  return ok;
}

/** A stage without tests of its own counts as one. */
const stage = (title, command, args) => {
  const ok = run(title, command, args);
  tally[ok ? "passed" : "failed"]++;
  if (!ok) failures.push(title);
  return ok;
};

function countVitest(ok) {
  const report = existsSync(vitestReport) ? JSON.parse(readFileSync(vitestReport, "utf8")) : null;
  const failed = report?.numFailedTests ?? 0;
  tally.passed += report?.numPassedTests ?? 0;
  for (const { name, status, assertionResults } of report?.testResults ?? []) {
    const file = relative(process.cwd(), name);
    skip(file, assertionResults.filter(({ status }) => NOT_RUN.has(status)).length);
    const failed = assertionResults.filter(({ status }) => status === "failed");
    failures.push(...failed.map(({ fullName }) => `${file} ${fullName}`));
    if (status === "failed" && failed.length === 0) failures.push(`${file} (does not load)`);
  }
  // A file that does not load has no failed test, and still failed.
  tally.failed += ok ? failed : Math.max(failed, 1);
}

function countPlaywright(ok) {
  const report = existsSync(playwrightReport) ? JSON.parse(readFileSync(playwrightReport, "utf8")) : null;
  const failed = report?.stats.unexpected ?? 0;
  tally.passed += (report?.stats.expected ?? 0) + (report?.stats.flaky ?? 0);
  tally.failed += ok ? failed : Math.max(failed, 1);
  skip("stories in the browser", report?.stats.skipped ?? 0);
  const suites = report?.suites ?? [];
  failures.push(...suites.flatMap((suite) => storiesThat("unexpected", suite)));
  for (const title of suites.flatMap((suite) => storiesThat("flaky", suite)))
    console.log(`passed at the second try only: ${title}`);
}

/** The stories of a suite that ended so. One that is flaky failed once and then passed: each of them is a fault to be found. */
const storiesThat = (ended, suite) => [
  ...suite.specs
    .filter((spec) => spec.tests.some((test) => test.status === ended))
    .map((spec) => `${spec.file}:${spec.line} ${spec.title}`),
  ...(suite.suites ?? []).flatMap((inner) => storiesThat(ended, inner)),
];

const tool = (name) => `node_modules/.bin/${name}`;

stage("types", tool("tsc"), ["-p", "."]);
stage("types of the compiler", tool("tsc"), ["-p", "src/fusion"]);
stage("lint", tool("oxlint"), ["--type-aware"]);
stage("import rules", process.execPath, ["scripts/check-imports.mjs"]);
stage("format", tool("prettier"), ["--check", "--log-level", "warn", "."]);
const browser = stage("browser", process.execPath, ["scripts/ensure-browser.mjs"]);
stage("WebGPU for Node", process.execPath, ["scripts/ensure-webgpu.mjs"]);
countVitest(
  run("unit and property tests", tool("vitest"), [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${vitestReport}`,
  ]),
);
const built = stage("build", tool("vite"), ["build", "--logLevel", "warn"]);
if (built) stage("budgets", process.execPath, ["scripts/budgets.mjs", "--sizes"]);
if (browser && built)
  countPlaywright(run("stories in the browser", tool("playwright"), ["test"], { PW_JSON: playwrightReport }));

console.log(`\nin ${Math.round((Date.now() - began) / 1000)} s`);
for (const [file, count] of skipped) console.log(`skipped: ${count} in ${file}`);
for (const what of failures) console.log(`failed: ${what}`);
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exit(tally.failed === 0 && tally.passed > 0 ? 0 : 1);
