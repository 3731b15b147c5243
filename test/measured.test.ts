/** @file The cost model against the measurements of docs/measurements.md: times within a third, and the faster plan is chosen. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generic, type CompileOptions, type DeviceProfile, type Step } from "../src/fusion";
import { targetOf } from "../src/fusion/cost";
import { productFactors, tileName, type ProductFactors } from "../src/fusion/kernel";
import { productOffers, type ProductShape } from "../src/fusion/kernel/shapes/matmul/matmul-factors";
import { opDef, workOf } from "../src/fusion/ops";
import { namedTile } from "../src/fusion/kernel/shapes/matmul/matmul";
import { liveValues } from "./laws/live-values";
import { compiled } from "./laws/pass-harness";
import { graphOf } from "./random-graph";

/** Roofs that were measured on the same machine. */
const h200 = (kibibytes: number): DeviceProfile => ({
  ...generic,
  name: "h200",
  bandwidth: 4.1e12,
  peakFlops: 50.8e12,
  launchMicros: 1.85,
  multiprocessors: 132,
  counted: true,
  workgroupBytes: kibibytes * 1024,
  maxBindingBytes: 2 ** 31 - 4,
});

const qkv = (d: number): string => ["q", "k", "v"].map((name) => `${name}: f32[16, 2048, ${d}]\n`).join("");
const plain = (d: number): string => `${qkv(d)}o = softmax(q @ k.mT * 0.125, dim=-1) @ v`;
const causal = (d: number): string => `${qkv(d)}o = scaled_dot_product_attention(q, k, v, is_causal=True)`;
const masked = (d: number): string => `${qkv(d)}m: f32[2048, 2048]\no = softmax(q @ k.mT * 0.125 + m, dim=-1) @ v`;

const within = (d: number): string =>
  `${qkv(d)}i = arange(2048)\nm = (i[None, :] <= i[:, None]) & (i[None, :] > i[:, None] - 256)\no = scaled_dot_product_attention(q, k, v, attn_mask=m)`;

/**
 * µs of the plan without and with attention fused, on 2026-11-28, since then with masked blocks left out; those in one kernel that the
 * planner does not take, and those with less workgroup memory, are of eight days before: kernels of attention have not changed since.
 */
type Row = readonly [name: string, text: string, kibibytes: number, apart: number, fused: number];
const rows: readonly Row[] = [
  ["32 wide", plain(32), 48, 480, 255],
  ["64 wide", plain(64), 48, 563, 616],
  ["64 wide with a mask", masked(64), 48, 576, 658],
  ["64 wide, causal", causal(64), 48, 475, 332],
  ["80 wide", plain(80), 48, 783, 795],
  ["96 wide", plain(96), 48, 828, 870],
  ["96 wide, causal", causal(96), 48, 566, 486],
  ["128 wide", plain(128), 48, 920, 1122],
  ["128 wide with a mask", masked(128), 48, 930, 1165],
  ["128 wide, causal", causal(128), 48, 627, 648],
  ["64 wide, a window", within(64), 48, 278, 110],
  ["128 wide, a window", within(128), 48, 349, 245],
  ["32 wide, 32 KiB", plain(32), 32, 480, 256],
  ["128 wide, 32 KiB", plain(128), 32, 920, 1346],
  ["128 wide, causal, 32 KiB", causal(128), 32, 627, 855],
  ["128 wide, 16 KiB", plain(128), 16, 920, 1817],
];
/** Two plans whose times are closer than this are as good as each other. */
const ALIKE = 0.02;

const stepsOf = (text: string, given: Partial<CompileOptions>): readonly Step[] => compiled(graphOf(text), given).steps;
const micros = (text: string, given: Partial<CompileOptions>): number =>
  stepsOf(text, given).at(-1)!.totals.predictedMicros;
/** Expensive launches make the planner fuse whatever it costs; they are taken off again. */
const expensive = 1e4;

test.each(rows)("attention %s", (_, text, kibibytes, apart, fused) => {
  const profile = h200(kibibytes);
  const isOne = stepsOf(text, { profile }).at(-1)!.totals.kernels === 1;
  expect((isOne ? fused : apart) / Math.min(fused, apart)).toBeLessThan(1 + ALIKE);
  const whole = micros(text, { profile: { ...profile, launchMicros: expensive } }) - expensive + profile.launchMicros;
  expect(Math.abs(Math.log(whole / fused))).toBeLessThan(Math.log(4 / 3));
  expect(Math.abs(Math.log(micros(text, { profile, disabledPasses: ["attention"] }) / apart))).toBeLessThan(
    Math.log(4 / 3),
  );
});

const heads = (q: number, kv: number, columns = 2048): string =>
  `q: f32[1, ${q}, 2048, 64]\nk: f32[1, ${kv}, ${columns}, 64]\nv: f32[1, ${kv}, ${columns}, 64]\n`;

/** µs of the plan that stores the scores, and of one kernel. */
test.each([
  ["of one head of keys each", `${heads(16, 16)}o = scaled_dot_product_attention(q, k, v)`, 564, 616],
  [
    "of four heads of queries to one of keys",
    `${heads(32, 8)}o = scaled_dot_product_attention(q, k, v, enable_gqa=True)`,
    1202,
    1225,
  ],
  ["across 1777 columns", `${heads(16, 16, 1777)}o = scaled_dot_product_attention(q, k, v)`, 596, 549],
])("attention %s: three kernels or one", (_, text, three, one) => {
  const profile = h200(48);
  const { totals } = stepsOf(text, { profile }).at(-1)!;
  const best = Math.min(three, one);
  expect((totals.kernels === 1 ? one : three) / best).toBeLessThan(1 + ALIKE);
  expect(Math.abs(Math.log(totals.predictedMicros / best))).toBeLessThan(Math.log(4 / 3));
});

const loss = (n: number, k: number, v: number): string =>
  `h: f32[${n}, ${k}]\nw: f32[${v}, ${k}]\ny: i32[${n}]\nloss = cross_entropy(h @ w.T, y, reduction="none")`;

/** µs of the plan with the logits stored, and without them. */
test.each([
  [4096, 1024, 32000, 7069, 6544],
  [1024, 768, 32000, 1422, 1306],
  [256, 768, 32000, 345, 341],
  [64, 768, 32000, 96, 90],
  [16384, 256, 8192, 1903, 1825],
  [16384, 128, 32000, 4946, 4308],
  [2048, 64, 8192, 100, 77],
] as const)("cross-entropy of %i rows of %i, %i classes", (n, k, v, apart, fused) => {
  const profile = h200(48);
  const text = loss(n, k, v);
  const steps = stepsOf(text, { profile });
  expect(steps.find(({ pass }) => pass === "contract-reduce")!.accepted).toBe(fused < apart);
  expect(Math.abs(Math.log(steps.at(-1)!.totals.predictedMicros / fused))).toBeLessThan(Math.log(4 / 3));
  const stored = micros(text, { profile, disabledPasses: ["contract-reduce"] });
  expect(Math.abs(Math.log(stored / apart))).toBeLessThan(Math.log(4 / 3));
});

/** Whether a product and softmax of its rows are quicker in one kernel. */
test.each([
  [65536, 64, 64, true],
  [65536, 64, 128, true],
  [8192, 1024, 128, true],
  [8192, 1024, 256, false],
] as const)("softmax of %i rows, %i inside, %i columns", (n, k, v, pays) => {
  const steps = stepsOf(`x: f32[${n}, ${k}]\nw: f32[${k}, ${v}]\ny = softmax(x @ w, dim=-1)`, { profile: h200(48) });
  expect(steps.at(-1)!.totals.kernels === 1).toBe(pays);
});

test("the refusal says what the wide head costs", () => {
  const steps = stepsOf(plain(128), { profile: h200(48) });
  const { profitable } = steps.find(({ pass }) => pass === "attention")!;
  expect(profitable!.code).toBe("C_NEGATIVE");
  expect(profitable!.text).toMatch(/reach \d+ % of the peak instead of \d+ %/);
  expect(profitable!.numbers!["efficiency"]).toBeLessThan(profitable!.numbers!["efficiencyBefore"]!);
});

test("a step that does not pay alone is taken for the sake of the next", () => {
  const steps = stepsOf(causal(96), { profile: h200(48) });
  const running = steps.find(({ rule }) => rule === "running-softmax")!;
  const [stored, , alone] = running.cost!.alternatives;
  expect([running.accepted, alone!.micros > stored!.micros]).toEqual([true, true]);
});

/** Chains of each function on an H100, with what stands between them. */
const functions = JSON.parse(readFileSync("bench/results/2026-11-27-ops.json", "utf8")) as {
  readonly elements: number;
  readonly evaluations: number;
  readonly multiplyAdds: number;
  readonly ops: readonly { readonly op: string; readonly micros: number; readonly besides: number }[];
};

test("what functions take of a shader is what was measured", () => {
  const { elements, evaluations, multiplyAdds, ops } = functions;
  const slots = ({ micros, besides }: (typeof ops)[number]): number =>
    (micros * 1e-6 * multiplyAdds) / (evaluations * elements) - besides;
  const told = ops.filter((each) => Math.abs(workOf(opDef(each.op), [null, null]) - 2 * slots(each)) > 1);
  expect(told).toEqual([]);
  expect(ops.length).toBeGreaterThan(30);
});

/** Sines that are all alive at once in threads of one element each, on an H200: µs by how many. */
const live = JSON.parse(readFileSync("bench/results/2026-11-27-registers.json", "utf8")) as {
  readonly rows: readonly { readonly name: string; readonly fusedMillis: number }[];
};

test.each([16, 48, 96, 128, 192])(
  "%i values alive in a thread: one kernel, within a quarter of what it took",
  (count) => {
    const knobs = { all: { vector: "off" as const }, kernels: {} };
    const last = stepsOf(liveValues(count), { profile: h200(48), groupSize: 31, knobs }).at(-1)!.totals;
    const took = live.rows.find(({ name }) => name === `sin-${count}-forced-one`)!.fusedMillis * 1e3;
    expect([last.kernels, Math.abs(Math.log(last.predictedMicros / took)) < Math.log(1.25)]).toEqual([1, true]);
  },
);

/** Products of few outputs on an H200, each in one or two ways: tiles, threads along k, or strips of columns in slices of k. */
const few = JSON.parse(readFileSync("bench/results/2026-11-28-few-outputs.json", "utf8")) as {
  readonly rows: readonly (readonly ["nn" | "nt", number, number, number, string, number])[];
};

const wayOf = ({ tile, thin, chunks }: Pick<ProductFactors, "tile" | "thin" | "chunks">): string =>
  (tile ? tileName(tile) : `${thin!.along} ${thin!.rows}x${thin!.columns} ${thin!.threads}`) +
  (chunks > 1 ? ` in ${chunks}` : "");

test("products of few outputs: times within 35 % but for threads along k, and the way that is chosen within 18 % of the best", () => {
  const target = { ...targetOf(h200(48)), maxWorkgroupSize: 1024 };
  const shapeOf = ([layout, m, n, k]: (typeof few.rows)[number]): ProductShape => ({
    sizes: { batch: 1, m, n, k },
    count: 1,
    leftAlongK: true,
    rightAlongK: layout === "nt",
    bytes: 4,
  });
  const errors = few.rows
    .filter(([, , , , way]) => !way.startsWith("k "))
    .map((row) => {
      const own = productOffers(shapeOf(row), target).find((offer) => wayOf(offer) === row[4])!;
      return Math.abs(Math.log((own.micros + (own.chunks > 1 ? 2 : 1) * 1.85) / row[5]));
    });
  expect(errors.length).toBeGreaterThan(60);
  expect(Math.max(...errors)).toBeLessThan(Math.log(1.35));
  const lost = few.rows.flatMap((row) => {
    const chosen = wayOf(productFactors(shapeOf(row), target)!);
    const same = few.rows.filter((other) => other.slice(0, 4).join() === row.slice(0, 4).join());
    const took = same.find(([, , , , way]) => way === chosen);
    return took ? [took[5] / Math.min(...same.map(([, , , , , micros]) => micros))] : [];
  });
  expect(lost.length).toBeGreaterThan(50);
  expect(Math.max(...lost)).toBeLessThan(1.18);
});

/** 66 workgroups of 64×128, or as many as that takes of another tile, times `batch`: how many a multiprocessor runs side by side shows as steps. */
const tiles = JSON.parse(readFileSync("bench/results/2026-11-29-tiles.json", "utf8")) as {
  readonly rows: readonly (readonly [batch: number, tile: string, micros: number])[];
};

test("more and more workgroups of ten tiles, some in slices of k: times within 28 %, all but three within 17 %, half of them within 7 %", () => {
  const target = { ...targetOf(h200(48)), maxWorkgroupSize: 1024 };
  const errors = tiles.rows.map(([batch, tile, took]) => {
    const sizes = { batch, m: 704, n: 768, k: 1024 };
    const shape = { sizes, count: 1, leftAlongK: true, rightAlongK: false, bytes: 4 };
    const { micros, chunks } = productFactors(shape, target, namedTile(tile))!;
    return Math.abs(Math.log((micros + (chunks > 1 ? 2 : 1) * 1.85) / took));
  });
  expect(errors.length).toBeGreaterThan(70);
  const sorted = errors.toSorted((a, b) => a - b);
  expect(sorted.at(-1)).toBeLessThan(Math.log(1.28));
  expect(sorted.at(-4)).toBeLessThan(Math.log(1.17));
  expect(sorted[Math.floor(errors.length / 2)]).toBeLessThan(Math.log(1.07));
});

type Timed = readonly (readonly ["nn" | "nt" | "tn", number, number, number, string, number])[];
/** One product after another with every tile that is offered, timed on an H100. */
const productsOf = (day: string): Timed =>
  (JSON.parse(readFileSync(`bench/results/${day}-products.json`, "utf8")) as { readonly rows: Timed }).rows;
const onH100 = { ...targetOf({ ...h200(48), bandwidth: 2.93e12, launchMicros: 2.1 }), maxWorkgroupSize: 1024 };

/** The factors of `rows[0]`'s product, with a tile or with the one that is chosen. */
const factorsOf = ([layout, m, n, k]: Timed[number], tile: string | undefined): ProductFactors =>
  productFactors(
    {
      sizes: { batch: 1, m, n, k },
      count: 1,
      leftAlongK: layout !== "tn",
      rightAlongK: layout === "nt",
      bytes: 4,
    },
    onH100,
    namedTile(tile),
  )!;

/** B is read along k by many rows of A at once: with 768 columns 128×128 tiles take up to a third longer, which nobody has explained. */
const unexplained = (row: Timed[number]): boolean => row[0] === "nt" && row[2] === 768;

test.each([
  ["2026-11-25", 0.15, 1.04],
  ["2026-11-28", 0.26, 1.07],
] as const)("products of %s: times within %d, and the tile that is chosen within %d of the best", (day, off, worse) => {
  const timed = productsOf(day).filter((row) => !unexplained(row));
  const errors = timed.flatMap((row) => {
    const { micros, chunks } = factorsOf(row, row[4]);
    return chunks === 1 ? [Math.abs(Math.log(micros / row[5]))] : [];
  });
  expect(errors.length).toBeGreaterThan(50);
  expect(Math.max(...errors)).toBeLessThan(Math.log(1 + off));
  const productOf = (row: Timed[number]): string => row.slice(0, 4).join();
  const products = [...new Set(timed.map(productOf))];
  const lost = products.flatMap((product) => {
    const rows = timed.filter((row) => productOf(row) === product);
    const { tile, chunks } = factorsOf(rows[0]!, undefined);
    const chosen = rows.find((row) => chunks === 1 && tile !== null && row[4] === tileName(tile));
    return chosen ? [chosen[5] / Math.min(...rows.map((row) => row[5]))] : [];
  });
  expect(lost.length).toBeGreaterThan(0);
  expect(Math.max(...lost)).toBeLessThan(worse);
});
