/**
 * @file Measures what the page and the planner may cost, prints it, and fails when something is over. Needs a build.
 * With `--sizes` only sizes can fail: a busy machine says nothing about times. With `--write` docs/budgets.md is written too.
 * With `--runs` the page is run in a browser too: when the first median, all times and the verdict are on screen.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { format } from "prettier";
import { cached } from "./bundle.mjs";
import { programNames } from "./planning.mjs";

const DIST = "dist";
const REPORT = "docs/budgets.md";
const PLANNING = fileURLToPath(new URL("planning.mjs", import.meta.url));
/** Milliseconds by a part of the program's name. */
const LIMITS = [
  ["10,000", 1500],
  ["1,000", 100],
  ["residual", 1000],
  ["recurrent", 3000],
  ["gradient", 3000],
];
/** Bytes while a program is planned for the first time. */
const MOST_MEMORY = 300e6;
const kilobytes = (bytes) => Math.round(bytes / 100) / 10;
const packed = (file) => gzipSync(readFileSync(file)).length;

/** Everything that the page loads before it draws: what index.html names, and what that imports without waiting. */
function shellFiles() {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  const waiting = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map((found) => join(DIST, found[1]));
  const files = new Set();
  for (const file of waiting) {
    if (files.has(file)) continue;
    files.add(file);
    if (!file.endsWith(".js")) continue;
    const text = readFileSync(file, "utf8");
    // `import{a}from"./x.js"`, `import"./x.js"` and `export{a}from"./x.js"`; a call `import("./x.js")` waits.
    for (const found of text.matchAll(/(?:from|import)\s*"(\.\/[^"]+\.js)"/g))
      waiting.push(join(dirname(file), found[1]));
  }
  return [...files];
}

const monacoBytes = () =>
  readdirSync(join(DIST, "assets"))
    .filter((name) => name.endsWith(".js") && !name.includes("worker"))
    .map((name) => packed(join(DIST, "assets", name)))
    .reduce((most, bytes) => Math.max(most, bytes), 0);

/** What `npm test` costs: written by hand, after what is measured here. */
const tests = () => /^## Tests$[^]*/m.exec(readFileSync(REPORT, "utf8"))?.[0] ?? "";

/** What was measured, as a page of the docs. */
function report() {
  const whole = (value) => Math.round(value).toLocaleString("en");
  const sizes = rows.filter(({ unit }) => unit === "kB");
  const limitOf = (name) => whole(LIMITS.find(([part]) => name.includes(part))[1]);
  return `# Budgets

Written by \`node scripts/budgets.mjs --write\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}, ${loadavg()[0].toFixed(1)} processes running (load). \`npm run budgets\` measures again and fails when something is over.

## Sizes

| what | kB, gzip | of |
| --- | --- | --- |
${sizes.map(({ what, value, limit }) => `| ${what.replace(", gz", "")} | ${value} | ${limit} |`).join("\n")}

## Planning

From text to both plans with their WGSL: the compiler as it ships, one file, each program in a process of its own that has planned a chain of 20 ops. _first_ is the first time, with code that has never run on anything large. _again_ is the best of two to seven further times, as in the page's worker when somebody types: each time the last line of the text is another, and kernels that were written before are known. Milliseconds for which a processor worked on the thread; in brackets the same run by the clock. _memory_ is how far the process's peak rises above what it held before, the first time; where that is over, the least of three.

| program | nodes | decisions | kernels, naive → fused | first, ms | again, ms (clock) | of | text + passes + WGSL | memory, MB |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${measured
  .map(
    ({ name, nodes, steps, kernels, firstMillis, againMillis, againWall, parts, growth }) =>
      `| ${name} | ${whole(nodes)} | ${whole(steps)} | ${kernels.map(whole).join(" → ")} | ${whole(firstMillis)} | ${whole(againMillis)} (${whole(againWall)}) | ${limitOf(name)} | ${[parts.parse, parts.passes, parts.codegen].map(whole).join(" + ")} | ${whole(growth / 1e6)} of 300 |`,
  )
  .join("\n")}
`;
}

const formatted = (text) => format(text, { parser: "markdown", printWidth: 120 });

const rows = [];
const row = (what, value, limit, unit) => rows.push({ what, value, limit, unit, over: value > limit });

const shell = shellFiles();
row("shell before Monaco, gz", kilobytes(shell.reduce((sum, file) => sum + packed(file), 0)), 170, "kB");
row("largest chunk (Monaco), gz", kilobytes(monacoBytes()), 1100, "kB");

/** Each program in a process of its own: how fast it is planned must not depend on which came before. */
const bundle = await cached("src/fusion/index.ts", "compiler", ["src/fusion"]);
const measure = (name) => JSON.parse(execFileSync(process.execPath, [PLANNING, bundle, name], { encoding: "utf8" }));
/** A peak hangs on when garbage was collected: what is over is measured again, three times at most, and the least counts. */
const measured = programNames.map((name) => {
  const first = measure(name);
  let { growth } = first;
  for (let again = 0; growth > MOST_MEMORY && again < 2; again++) growth = Math.min(growth, measure(name).growth);
  return { name, ...first, growth };
});
for (const { name, againMillis, growth } of measured) {
  row(`planning and WGSL, ${name}`, Math.round(againMillis), LIMITS.find(([part]) => name.includes(part))[1], "ms");
  row(`memory while planning, ${name}`, Math.round(growth / 1e6), MOST_MEMORY / 1e6, "MB");
}

for (const { what, value, limit, unit, over } of rows) {
  console.log(`${over ? "OVER" : "  ok"}  ${what}: ${value} of ${limit} ${unit}`);
}
if (process.argv.includes("--write")) writeFileSync(REPORT, await formatted(`${report()}\n${tests()}`));
if (process.argv.includes("--runs")) {
  const script = fileURLToPath(new URL("chrome-run-times.mjs", import.meta.url));
  execFileSync(process.execPath, [script, "--size", "S"], { stdio: "inherit" });
}
const onlySizes = process.argv.includes("--sizes");
process.exit(rows.some(({ over, unit }) => over && !(onlySizes && unit === "ms")) ? 1 : 0);
