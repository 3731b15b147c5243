/** @file Folds of random shapes under many factors: results are the reference's, counts are the touched addresses, whatever lanes, rows beside, turns and chunks. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { factorsOf, foldNest, nestProblems, type FoldShape, type Machine } from "../../src/fusion/kernel";
import type { Knobs, Target } from "../../src/fusion/ir";
import { classify, scheduleRegion } from "../../src/fusion/kernel";
import { compile, defaultOptions } from "../../src/fusion/compile";
import { h100 } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf, oneRegion } from "./kernel-harness";

const [COUNT, SEED] = (process.env["FOLD_LAWS"] ?? "60:20261122").split(":").map(Number) as [number, number];

/** Long and short, even and odd, but never more elements than the interpreter walks in a moment. */
const extents = fc
  .array(fc.constantFrom(1, 2, 3, 4, 5, 8, 12, 16, 31, 32, 64, 96, 100, 257, 1000, 2100, 9001, 70_000), {
    minLength: 1,
    maxLength: 4,
  })
  .filter((shape) => shape.reduce<number>((size, extent) => size * extent, 1) <= 80_000);

type Body = (dims: string, keep: string) => string;
const bodies: readonly Body[] = [
  (dims) => `y = x.sum(dim=${dims})`,
  (dims) => `y = (x * r + 1).mean(dim=${dims})`,
  (dims) => `y = x.var(dim=${dims}, correction=0)`,
  (dims) => `y = logsumexp(x, dim=${dims})`,
  (dims, keep) => `m = x.mean(dim=${dims}${keep})\ny = (x - m) * r`,
  (dims, keep) => `m = x.amax(dim=${dims}${keep})\ne = exp(x - m)\ny = e / e.sum(dim=${dims}${keep})`,
  (dims, keep) =>
    `m = x.mean(dim=${dims}${keep})\nv = (x - m).square().mean(dim=${dims}${keep})\ny = (x - m) * rsqrt(v + 1e-5)`,
  (dims) => `a = x.amax(dim=${dims})\nb = (x * r).sum(dim=${dims})\nc = x.amin(dim=${dims})\nreturn a, b, c`,
  (dims) => `h = x + r\ns = h.sum(dim=${dims})\nreturn h, s`,
  (dims, keep) =>
    `m = x.amax(dim=${dims}${keep})\ne = exp(x - m)\ny = (e * r).sum(dim=${dims}) / e.sum(dim=${dims}) + r.sum(dim=${dims})`,
  (dims, keep) =>
    `a = x.amax(dim=${dims}${keep})\nb = r.amax(dim=${dims}${keep})\ns = exp(x - a).sum(dim=${dims}${keep})\nt = exp(r - b).sum(dim=${dims}${keep})\ny = (exp(x - a) / s - exp(r - b) / t).square().sum(dim=${dims})`,
  (dims, keep) =>
    `m = x.mean(dim=${dims}${keep})\nv = (x - m).square().mean(dim=${dims})\nn = r.mean(dim=${dims}${keep})\nw = (r - n).square().sum(dim=${dims})\nreturn v, w, (x * r).sum(dim=${dims})`,
  (dims, keep) =>
    `m = x.mean(dim=${dims}${keep})\ns = (x * m).amax(dim=${dims}${keep})\ny = x * s - m\nt = (y * r).sum(dim=${dims})\nreturn y, t`,
  (dims) => `i = x.argmax(dim=${dims})\nj = (x * r).argmin(dim=${dims})\nreturn i, j, (x * r).sum(dim=${dims})`,
  (dims, keep) =>
    `m = x.amax(dim=${dims}${keep})\ni = (x - m).abs().argmin(dim=${dims}${keep})\ny = where(r > 0.5, i * 1.0, x)`,
  (dims) => `h = relu(x)\na = h.mean(dim=${dims})\nb = (h * r).sum(dim=${dims})\nreturn h, a, b`,
];

/** Programs whose operand may lie in another order of axes than it is folded in. */
const programs = extents.chain((shape) =>
  fc
    .record({
      body: fc.constantFrom<Body[]>(...bodies),
      dims: fc.subarray(
        shape.map((_, axis) => axis),
        { minLength: 1 },
      ),
      alternating: fc.boolean(),
    })
    .map(({ body, dims, alternating }) => {
      const text = (extent: readonly number[]): string => `f32[${extent.join(", ")}]`;
      const perm = shape.map((_, axis) => shape.length - 1 - axis);
      const given =
        alternating && shape.length > 1
          ? [`x0: ${text(shape.toReversed())}`, `x = x0.permute(${perm.join(", ")})`]
          : [`x: ${text(shape)}`];
      const [first, ...rest] = given;
      const axes = dims.length === 1 ? String(dims[0]) : `(${dims.join(", ")})`;
      return [first, `r: ${text(shape)}`, ...rest, body(axes, ", keepdim=True")].join("\n");
    }),
);

/** Machines on which other factors are the cheapest, and what a person may choose. */
const machines = fc.constantFrom(
  { multiprocessors: 1, bandwidth: 1e11, launchMicros: 50 },
  { multiprocessors: 16, bandwidth: 4e11, launchMicros: 0.01 },
  { multiprocessors: 132, bandwidth: 3.35e12, launchMicros: 0.01 },
  { multiprocessors: 132, bandwidth: 3.35e12, launchMicros: 2, l2Bytes: 1e4 },
  { multiprocessors: 4000, bandwidth: 1e14, launchMicros: 0.001 },
);
const knobs = fc.constantFrom<Knobs>(
  {},
  {},
  {},
  { rows: "registers" },
  { rows: "again" },
  { rows: "one-pass" },
  { rows: "thread" },
  { threads: "32" },
  { threads: "256", vector: "off" },
  { joined: "subgroups" },
);

test(`${COUNT} folds under other factors, seed ${SEED}`, { timeout: 300_000 }, () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(programs, machines, knobs, fc.integer({ min: 0, max: 9 }), (text, machine, all, which) => {
      const target: Target = { ...(which === 0 ? cpu : gpu), machine, knobs: { all, kernels: {} } };
      const fusion = oneRegion(graphOf(text));
      const region = [...fusion.regions.values()][0]!;
      const classified = classify(fusion.graph, region.members, region.outputs);
      if (!classified.ok) return;
      const { fold } = scheduleRegion(fusion.graph, region, classified.form, target);
      const wrong = [...(fold ? nestProblems([fold.outer, fold.folded]) : []), ...complaints(fusion, target, 1e-6)];
      if (fold) {
        const { lanes, beside, chunks, held, fastest } = factorsOf(fold);
        kinds.add(`${lanes > 1} ${beside > 1} ${chunks > 1} ${held} ${fastest}`);
      }
      expect({ text, all, machine, wrong }).toEqual({
        text,
        all,
        machine,
        wrong: [],
      });
    }),
    { numRuns: COUNT, seed: SEED, endOnFailure: false },
  );
  expect(kinds.size).toBeGreaterThan(8);
});

test.each([
  ["softmax", "y = softmax(x, dim=-1)"],
  ["log_softmax", "y = log_softmax(x, dim=-1)"],
  ["layer_norm", "y = F.layer_norm(x, (300_000,))"],
  [
    "softmax and what it passes back",
    "y = softmax(x, dim=-1)\ns = (y * x).sum(dim=-1, keepdim=True)\nz = y * (x - s)\nreturn y, z",
    3,
  ],
  ["a row over its sum", "s = x.sum(dim=-1, keepdim=True)\ny = x / s\nreturn s, y"],
])("few long rows are shared out: %s", (_, body, walks = 2) => {
  const fusion = oneRegion(graphOf(`x: f32[8, 300_000]\n${body}`));
  const region = [...fusion.regions.values()][0]!;
  const classified = classify(fusion.graph, region.members, region.outputs);
  const machine = { multiprocessors: 132, bandwidth: 4e12, launchMicros: 2 };
  const { chunks, workgroups, reads, dispatches } = scheduleRegion(
    fusion.graph,
    region,
    (classified as Extract<typeof classified, { ok: true }>).form,
    { ...gpu, machine },
  );
  expect(chunks).toBeGreaterThan(1);
  expect(workgroups).toBeGreaterThanOrEqual(machine.multiprocessors);
  expect({ dispatches, passes: reads.map(({ rereads }) => 1 + rereads) }).toEqual({
    dispatches: walks,
    passes: [walks],
  });
});

const h200: Machine = {
  sharing: "threads",
  maxThreads: 256,
  maxBytes: 16_384,
  multiprocessors: 132,
  bandwidth: 4.8e12,
  l2Bytes: 50e6,
  launchMicros: 8,
};
const softmax: Omit<FoldShape, "rows" | "columns" | "vector" | "contiguous" | "run"> = {
  readBytes: 4,
  fresh: 1,
  writeBytes: 4,
  walks: 2,
  stages: 1,
  scans: 0,
  accumulators: 1,
  waiting: 1,
  addressing: { row: 0, vector: 0 },
  live: 3,
  statements: 6,
  ops: 3,
  meetingBytes: 8,
  scanningBytes: 0,
  partsBytes: 8,
  cut: false,
  steps: 1,
  joined: false,
  several: true,
  alone: true,
  together: true,
  networks: [],
  between: 1,
};
const along = (rows: number, columns: number) => ({
  rows,
  columns,
  vector: columns % 4 === 0 ? ("folded" as const) : null,
  contiguous: "folded" as const,
  run: columns,
});
const across = (rows: number, columns: number, run = rows) => ({
  rows,
  columns,
  vector: "outer" as const,
  contiguous: "outer" as const,
  run,
});
const statistics = { ...softmax, writeBytes: 0, walks: 1, waiting: 0, accumulators: 2, cut: true };

test("short rows share a workgroup, a few vectors to each thread", () => {
  const { lanes, beside, turns, held } = factorsOf(foldNest({ ...softmax, ...along(262_144, 32) }, h200));
  expect([lanes * turns, lanes * beside >= 128, held]).toEqual([8, true, true]);
});
test("rows of a thousand get 32 to 128 threads and wait in registers", () => {
  const { lanes, turns, held } = factorsOf(foldNest({ ...softmax, ...along(65_536, 1000) }, h200));
  expect(held && lanes >= 32 && lanes <= 128 && turns >= 2 && turns <= 8).toBe(true);
});
test("rows that the cache does not hold are walked to and fro, those that it holds from the start", () => {
  const again = { ...softmax, waiting: null };
  const alternating = (columns: number, l2Bytes: number): boolean =>
    factorsOf(foldNest({ ...again, ...along(4096, columns) }, { ...h200, l2Bytes })).alternating;
  expect([alternating(32_000, 50e6), alternating(32_000, 5e9), alternating(32, 50e6)]).toEqual([true, false, false]);
});
test("a middle axis is read in whole sectors, many threads down", () => {
  const { lanes, beside, wide, held } = factorsOf(foldNest({ ...softmax, ...across(32 * 1024, 512, 1024) }, h200));
  expect(held && wide.outer === 4 && beside >= 4 && lanes >= 16).toBe(true);
});
test.each([
  ["long columns", across(96, 100_000)],
  ["batch norm's statistics", { ...along(64, 64 * 56 * 56), run: 56 * 56 }],
  ["a sum of everything", along(1, 1 << 24)],
])("%s are folded in parts that keep every multiprocessor busy", (_, shape) => {
  const { beside, chunks, wide } = factorsOf(foldNest({ ...statistics, ...shape }, h200));
  const workgroups = Math.ceil(shape.rows / wide.outer / beside) * chunks;
  // Two a multiprocessor, but for the rounding of the last chunk.
  expect(workgroups).toBeGreaterThan(1.95 * h200.multiprocessors);
});
test("rows that no registers hold are walked in turns", () => {
  expect(factorsOf(foldNest({ ...softmax, ...along(64, 131_072) }, h200)).held).toBe(false);
});
test("where threads can't share, one walks each row", () => {
  const { lanes, beside, chunks } = factorsOf(
    foldNest({ ...softmax, ...along(4096, 512) }, { ...h200, sharing: "alone" }),
  );
  expect([lanes, beside, chunks]).toEqual([1, 64, 1]);
});

const wgslOf = (text: string): string =>
  compile(text, { ...defaultOptions, profile: h100 })
    .fusedPlan!.kernels.map(({ wgsl }) => wgsl)
    .join("\n");

/** The bodies of loops, with their lines in order. */
const loopsOf = (wgsl: string): string[][] =>
  [...wgsl.matchAll(/ {2}for \(var turn[^\n]*\n([\s\S]*?)\n {2}\}/g)].map(([, body]) => body!.split("\n"));

test("where a thread folds several vectors in one turn, their loads stand before what is computed", () => {
  const loops = loopsOf(
    wgslOf(
      "x: f32[256, 32768]\ng: f32[256, 32768]\ny = (g * sigmoid(x) * (1 - sigmoid(x))).sum(1)\nz = (g * tanh(x)).sum(1)\nreturn y, z\n",
    ),
  );
  expect(loops.length).toBeGreaterThan(0);
  for (const lines of loops) {
    const loads = lines.flatMap((line, at) => (/= [xg]\[/.test(line) ? [at] : []));
    expect(loads.length).toBeGreaterThan(2);
    expect(loads).toEqual(loads.map((_, i) => i));
  }
});
