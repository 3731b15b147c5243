/** @file Planning's work in counts, not in time: what one step asks again must not grow with the program. */
import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion/compile";
import { fullSizeBytes } from "../../src/fusion/kernel";
import type { CompileOptions, Region } from "../../src/fusion/ir";
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

/** How many kernels a pass asks the price of, each once, on the naive plan of `text`; and how many ops that has. */
function asked(text: string, pass: FusionPass): { readonly kernels: number; readonly ops: number } {
  const { naive } = compile(text, { ...defaultOptions, level: 0 });
  const full = fullSizeBytes(naive!.graph);
  const cache = openCostCache(defaultOptions.profile, full);
  const seen = new WeakSet<Region>();
  let kernels = 0;
  const counting: typeof cache = {
    facts(graph, region) {
      if (!seen.has(region)) kernels++;
      seen.add(region);
      return cache.facts(graph, region);
    },
  };
  const planner = openPlanner(naive!, defaultOptions, full, counting, cache);
  const found = pass.match(planner);
  for (let next = found.next(); next.done !== true;) {
    const candidate = next.value;
    const legal = pass.legal(planner, candidate).ok;
    const accepted = legal && pass.profitability(planner, candidate, pass.cost(planner, candidate)).ok;
    if (accepted) planner.apply(pass.apply(planner, candidate), candidate.merged);
    next = found.next({ accepted });
  }
  return { kernels, ops: naive!.graph.nodes.size };
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
        h = tanh(x[:, t] @ W + h @ U)
    return h`;

/** A chain alone. */
const chainOf = (ops: number): string =>
  [
    "x: f32[64, 64]",
    "t = x",
    ...Array.from({ length: ops }, (_, i) => `t = ${["relu", "exp", "tanh"][i % 3]}(t)`),
  ].join("\n");

/** A loop written out, whose iterations read one tensor and are stacked to another: what one kernel can't compute has many neighbours. */
const stackedOver = (steps: number): string =>
  [
    `xs: f32[${steps}, 2]`,
    "x: f32[2]",
    "y: f32[2]",
    "w: f32[2, 2]",
    "xs = exp(xs * 0.1)",
    "g = []",
    ...Array.from({ length: steps }, (_, i) => [
      `r = xs[${i}]`,
      "m = torch.cat([x[..., 1:], y[..., :1]], dim=-1)",
      "new_x = tanh(layer_norm(r, 2) + m * 0.25) + x * 0.5",
      "new_y = tanh(linear(r, w) * 0.5 + m * 0.25) + y * 0.5",
      "x, y = new_y, new_x",
      "g.append(x * 1.5)",
    ]).flat(),
    "return torch.stack(g, dim=0), x, y",
  ].join("\n");

/** One kernel an op, values recomputed where they are read, sums in their order: many candidates are refused. */
const apart: Partial<CompileOptions> = { granularity: "primitive", policy: "duplicate", strict: true };

/** How often anything is looked up in a map from the text to both plans with their WGSL. */
function lookUps(
  text: string,
  options: Partial<CompileOptions> = {},
): { readonly count: number; readonly kernels: number } {
  const own = Object.getOwnPropertyDescriptor(Map.prototype, "get")!;
  const get = own.value as (this: Map<unknown, unknown>, key: unknown) => unknown;
  let count = 0;
  const counting = function counting(this: Map<unknown, unknown>, key: unknown): unknown {
    count++;
    return get.call(this, key);
  };
  Object.defineProperty(Map.prototype, "get", { ...own, value: counting });
  try {
    const { fusedPlan } = compile(text, { ...defaultOptions, ...options });
    return { count, kernels: fusedPlan!.kernels.length };
  } finally {
    Object.defineProperty(Map.prototype, "get", own);
  }
}

test.each([
  ["a chain", chainOf, 120],
  ["a recurrent layer", recurrentOver, 16],
  ["an unrolled loop", loopOver, 24],
  ["a gradient", gradientOf, 80],
  ["a loop of rows that are stacked", stackedOver, 8, apart],
] as const)("%s of twice the length takes about twice the work", (_, program, length, options = {}) => {
  lookUps(program(length / 4), options); // what is done once for all programs
  const [once, twice] = [lookUps(program(length), options), lookUps(program(2 * length), options)];
  expect(twice.kernels).toBeGreaterThan(once.kernels);
  // Quadratic work would show as 4.
  expect(twice.count / once.count, `${twice.count} look-ups against ${once.count}`).toBeLessThan(2.5);
});

test("a producer's readers that have not changed are not made and priced again", () => {
  for (const length of [60, 240]) {
    const { kernels, ops } = asked(gradientOf(length), producerConsumer);
    expect(kernels / ops, `kernels weighed for each of ${ops} ops`).toBeLessThan(6);
  }
});
