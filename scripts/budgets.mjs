/**
 * @file Measures what the page and the planner may cost, prints it, and fails when something is over. Needs a build.
 * With `--sizes` only sizes can fail: a busy machine says nothing about times.
 */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { runnerImport } from "vite";

const DIST = "dist";
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

/** A chain that never repeats an op twice in a row, over a matrix that fits a cache line many times. */
function chainOf(ops) {
  const unary = ["relu", "exp", "tanh", "sigmoid", "neg", "abs"];
  const lines = ["x: f32[64, 64]", "v0 = relu(x)"];
  for (let i = 1; i < ops; i++) lines.push(`v${i} = ${unary[i % unary.length]}(v${i - 1})`);
  return lines.join("\n");
}

/** Blocks of a normalisation and a residual: 14 primitives each. */
function blocksOf(ops) {
  const lines = ["x: f32[256, 128]", "w: f32[128]", "h0 = relu(x)"];
  for (let i = 1; i * 14 <= ops; i++) lines.push(`h${i} = h${i - 1} + gelu(rms_norm(h${i - 1}, w))`);
  return lines.join("\n");
}

/** Best of a few: the machine's other work is not the planner's. */
function bestMillis(runs, work) {
  let best = Infinity;
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

const rows = [];
const row = (what, value, limit, unit) => rows.push({ what, value, limit, unit, over: value > limit });

const shell = shellFiles();
row("shell before Monaco, gz", kilobytes(shell.reduce((sum, file) => sum + packed(file), 0)), 300, "kB");
row("largest chunk (Monaco), gz", kilobytes(monacoBytes()), 1100, "kB");

const { module: fusion } = await runnerImport("./src/fusion/index.ts");
const planned = (text) => fusion.compile(text, fusion.defaultOptions);
for (const { name, make } of [
  { name: "chain", make: chainOf },
  { name: "norm blocks", make: blocksOf },
]) {
  const [small, large] = [make(1000), make(10_000)];
  planned(small);
  row(`planning and WGSL, ${name}, 1,000 ops`, Math.round(bestMillis(5, () => planned(small))), 100, "ms");
  row(`planning and WGSL, ${name}, 10,000 ops`, Math.round(bestMillis(2, () => planned(large))), 1500, "ms");
}

for (const { what, value, limit, unit, over } of rows) {
  console.log(`${over ? "OVER" : "  ok"}  ${what}: ${value} of ${limit} ${unit}`);
}
const onlySizes = process.argv.includes("--sizes");
process.exit(rows.some(({ over, unit }) => over && !(onlySizes && unit === "ms")) ? 1 : 0);
