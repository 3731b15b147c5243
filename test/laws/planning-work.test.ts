/** @file Planning's work in counts, not in time: what one step asks again must not grow with the program. */
import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion/compile";
import { fullSizeBytes } from "../../src/fusion/cost";
import type { Region } from "../../src/fusion/ir";
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

test("a producer's readers that have not changed are not made and priced again", () => {
  for (const length of [60, 240]) {
    const { kernels, ops } = asked(gradientOf(length), producerConsumer);
    expect(kernels / ops, `kernels weighed for each of ${ops} ops`).toBeLessThan(6);
  }
});
