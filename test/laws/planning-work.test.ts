/** @file Planning's work in counts, not in time: what one step asks again must not grow with the program. */
import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion/compile";
import { fullSizeBytes } from "../../src/fusion/kernel";
import { regionId, type Node, type Region, type RegionId } from "../../src/fusion/ir";
import { numbersOf } from "../../src/fusion/ops";
import { openCostCache } from "../../src/fusion/passes/profitability/cost-cache";
import type { FusionPass } from "../../src/fusion/passes/driver/define";
import { openPlanner } from "../../src/fusion/passes/driver/planner";
import { producerConsumer } from "../../src/fusion/passes/producer-consumer";

/** A chain of `ops` and its gradient: the backward pass reads what the forward pass makes, so producers have many readers. */
function gradientOf(ops: number): string {
  const unary = ["relu", "exp", "tanh", "sigmoid", "neg", "abs"];
  const chain = Array.from({ length: ops }, (_, i) => `v${i + 1} = ${unary[i % unary.length]}(v${i})`);
  const ends = [`loss = v${ops}.sum()`, "loss.backward()", "return w.grad"];
  return ["x: f32[64, 64]", "w: f32[64, 64] = param()", "v0 = x * w", ...chain, ...ends].join("\n");
}

interface Asked {
  readonly kernels: number;
  readonly ops: number;
  /** How often each region was refused as too large beside what reads it. */
  readonly tooLarge: ReadonlyMap<RegionId, number>;
}

/** How many kernels a pass asks the price of, each once, on the naive plan of `text`; and how many ops that has. */
function asked(text: string, pass: FusionPass): Asked {
  const { naive } = compile(text, { ...defaultOptions, level: 0 });
  const full = fullSizeBytes(naive!.graph);
  const cache = openCostCache(defaultOptions.profile, full);
  const seen = new WeakSet<Region>();
  let kernels = 0;
  const meet = (region: Region): void => {
    if (!seen.has(region)) kernels++;
    seen.add(region);
  };
  const counting: typeof cache = {
    ...cache,
    facts(graph, region) {
      meet(region);
      return cache.facts(graph, region);
    },
    kernel(graph, region) {
      meet(region);
      return cache.kernel(graph, region);
    },
  };
  const planner = openPlanner(naive!, defaultOptions, full, counting, cache);
  const tooLarge = new Map<RegionId, number>();
  const found = pass.match(planner);
  for (let next = found.next(); next.done !== true;) {
    const candidate = next.value;
    const legal = pass.legal(planner, candidate);
    const verdict = legal.ok ? pass.profitability(planner, candidate, pass.cost(planner, candidate)) : legal;
    if (verdict.ok) planner.apply(pass.apply(planner, candidate), candidate.merged);
    const { id } = candidate.remove[0]!;
    if (verdict.code === "C_CODE_SIZE") tooLarge.set(id, (tooLarge.get(id) ?? 0) + 1);
    next = found.next({ accepted: verdict.ok, code: verdict.code });
  }
  return { kernels, ops: naive!.graph.nodes.size, tooLarge };
}

/** A recurrent layer over `steps` steps of time: one call, whose products follow one another. */
const recurrentOver = (steps: number): string => `import torch.nn as nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(16, 16, batch_first=True)
    def forward(self, x):
        y, (h, c) = self.rnn(x)
        return y[:, -1]
x = torch.randn(4, ${steps}, 16)
model = M()
y = model(x)`;

/** The same as a loop that a person wrote, each step an op of the list. */
const loopOver = (
  steps: number,
): string => `def f(x: f32[8, ${steps}, 16], W: f32[16, 16], U: f32[16, 16], h0: f32[8, 16]):
    h = h0
    for t in range(${steps}):
        h = x[:, t] @ W + h @ U
        h = tanh(h) if t % 2 == 0 else sigmoid(h)
    return h`;

/** The same written out, each step along a row of a tensor that is computed first: of that all steps read. */
const rowsOver = (steps: number): string =>
  [
    "x: f32[48]",
    `rows: f32[${steps}, 48]`,
    "rows = exp(rows * 0.1)",
    ...Array.from({ length: steps }, (_, t) => [
      `r = rows[${t}]`,
      "gate = r * (x > x.sum(-1)) + 0.25",
      "x = tanh(r - gate.amax(-1) + (x - r.amax(-1)) * 0.25) + x * 0.5",
    ]).flat(),
    "return x",
  ].join("\n");

/** A chain alone. */
const chainOf = (ops: number): string =>
  [
    "x: f32[64, 64]",
    "t = x",
    ...Array.from({ length: ops }, (_, i) => `t = ${["relu", "exp", "tanh"][i % 3]}(t)`),
  ].join("\n");

/** Blocks of a normalisation and a residual: each folds the rows of what all before it add up to. */
const blocksOf = (blocks: number): string =>
  [
    "x: f32[256, 128]",
    "w: f32[128]",
    ...Array.from({ length: blocks }, () => "x = x + gelu(rms_norm(x, w))"),
    "return x",
  ].join("\n");

/** How often anything is looked up in a map during `work`. */
function lookUpsDuring<T>(work: () => T): { readonly count: number; readonly answer: T } {
  const own = Object.getOwnPropertyDescriptor(Map.prototype, "get")!;
  const get = own.value as (this: Map<unknown, unknown>, key: unknown) => unknown;
  let count = 0;
  const counting = function counting(this: Map<unknown, unknown>, key: unknown): unknown {
    count++;
    return get.call(this, key);
  };
  Object.defineProperty(Map.prototype, "get", { ...own, value: counting });
  try {
    const answer = work();
    return { count, answer };
  } finally {
    Object.defineProperty(Map.prototype, "get", own);
  }
}

/** From the text to both plans with their WGSL. */
function lookUps(text: string): { readonly count: number; readonly kernels: number } {
  const { count, answer } = lookUpsDuring(() => compile(text, defaultOptions));
  return { count, kernels: answer.fusedPlan!.kernels.length };
}

test.each([
  ["a chain", chainOf, 120],
  ["a recurrent layer", recurrentOver, 16],
  ["an unrolled loop", loopOver, 24],
  ["a loop along rows of one tensor", rowsOver, 32],
  ["a gradient", gradientOf, 160],
] as const)("%s of twice the length takes at most about twice the work", (_, program, length) => {
  lookUps(program(length / 4)); // what is done once for all programs
  const [once, twice] = [lookUps(program(length)), lookUps(program(2 * length))];
  // A layer that stays one loop has as many kernels.
  expect(twice.kernels).toBeGreaterThanOrEqual(once.kernels);
  // Quadratic work would show as 4.
  expect(twice.count / once.count, `${twice.count} look-ups against ${once.count}`).toBeLessThan(2.5);
});

test("a producer's readers that have not changed are not made and priced again", () => {
  for (const length of [60, 240]) {
    const { kernels, ops } = asked(gradientOf(length), producerConsumer);
    expect(kernels / ops, `kernels weighed for each of ${ops} ops`).toBeLessThan(6);
  }
});

test("a producer that is too large beside its readers is told so once", () => {
  const { tooLarge } = asked(gradientOf(160), producerConsumer);
  expect(tooLarge.size).toBeGreaterThan(5);
  expect([...tooLarge.values()].filter((times) => times > 1)).toEqual([]);
});

/** The steps of a program along rows, each on its own and with another: alike but for their names and rows. */
function iterations() {
  const { naive } = compile(rowsOver(6), { ...defaultOptions, level: 0, granularity: "primitive" });
  const { graph } = naive!;
  const cache = openCostCache(defaultOptions.profile, fullSizeBytes(graph));
  const rowOf = (t: number): Node =>
    [...graph.nodes.values()]
      .filter(({ op }) => op === "slice")
      .find(({ attrs }) => numbersOf(attrs["start"])[0] === t)!;
  const readerOf = (n: Node): Node => [...graph.nodes.values()].find(({ inputs }) => inputs.includes(n.id))!;
  const region = (members: readonly Node[]): Region => {
    const ids = members.map(({ id }) => id);
    return { id: regionId(`k:${ids.at(-1)!}`), members: ids, outputs: ids.slice(-1) };
  };
  const iteration = (t: number): Region => region([rowOf(t), readerOf(rowOf(t))]);
  return { graph, cache, iteration };
}

test("what iterations bind is found out once", () => {
  const { graph, cache, iteration } = iterations();
  cache.bound(graph, iteration(2));
  const third = iteration(3);
  const own = openCostCache(defaultOptions.profile, fullSizeBytes(graph));
  const [alone, known] = [own, cache].map((asked) => lookUpsDuring(() => asked.bound(graph, third)));
  expect(known!.answer).toEqual(alone!.answer);
  expect(known!.answer.reads).toHaveLength(1);
  expect(known!.count, "look-ups where an iteration like it is known").toBeLessThan(alone!.count / 2);
});

test("iterations that read one row after the other are priced as one", () => {
  const { graph, cache, iteration } = iterations();
  const [second, third, apart] = [2, 3, 5].map((t) => cache.kernel(graph, iteration(t))!);
  expect(second!.like).toBeUndefined();
  expect(third!.like).toBe(second);
  expect(apart!.like).toBe(second);
  // Together they read other parts of the rows than one of them.
  const pair = (a: number, b: number): Region => {
    const { members, outputs } = iteration(a);
    const other = iteration(b);
    return { id: other.id, members: [...members, ...other.members], outputs: [...outputs, ...other.outputs] };
  };
  const [near, far, alike] = [pair(2, 3), pair(2, 4), pair(3, 4)].map((both) => cache.kernel(graph, both)!);
  expect(far!.like).toBeUndefined();
  expect(alike!.like).toBe(near);
});

test("a kernel of twice as many folds takes at most about twice the work to price", () => {
  const priced = (blocks: number): number => {
    const { naive } = compile(blocksOf(blocks), { ...defaultOptions, level: 0, granularity: "primitive" });
    const { graph } = naive!;
    const members = [...graph.nodes.values()].filter(({ op }) => op !== "input" && op !== "const").map(({ id }) => id);
    const region: Region = { id: regionId(`k:${members.at(-1)!}`), members, outputs: graph.outputs };
    const cache = openCostCache(defaultOptions.profile, fullSizeBytes(graph));
    const { count, answer } = lookUpsDuring(() => cache.kernel(graph, region));
    expect(answer?.form?.reductions.length).toBe(blocks);
    return count;
  };
  priced(3); // what is done once for all programs
  const [once, twice] = [priced(12), priced(24)];
  expect(twice / once, `${twice} look-ups against ${once}`).toBeLessThan(2.5);
});
