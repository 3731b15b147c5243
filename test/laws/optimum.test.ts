/** @file The planner against the best plan by the price, where every plan can be tried. Prints the regret; it may only become less. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generic, laptop, type DeviceProfile } from "../../src/fusion";
import { compile, compileGraph, defaultOptions, fusionAt } from "../../src/fusion/compile";
import type { Compilation } from "../../src/fusion/compilation";
import { isTooLarge, naiveFusion, optimumOf, regretOf, type Optimum } from "../../src/fusion/passes";
import { isViewRegion, resolveView } from "../../src/fusion/kernel";
import type { Fusion, NodeId } from "../../src/fusion/ir";
import { examples, optionsFor } from "../../src/lessons";
import { graphOf } from "../random-graph";
import { shapeFaults, valueFaults } from "./pass-harness";
import { caseArbitrary } from "./plan-laws";

/** Fast memory and cheap launches, as the page measures a large GPU. */
const measured: DeviceProfile = {
  ...generic,
  name: "measured",
  bandwidth: 4.13e12,
  peakFlops: 50.8e12,
  launchMicros: 1.85,
  multiprocessors: 132,
};
/** Bytes are expensive and launches free, so that small programs are planned as large ones are. */
const bytesAlone: DeviceProfile = { ...generic, bandwidth: 1e9, launchMicros: 0, multiprocessors: 1 };

/** Kernels weighed for one program. */
const MOST = 1500;

function bestOf(compilation: Compilation): Optimum | null {
  const found = optimumOf(fusionAt(compilation, compilation.steps.length), compilation.options, MOST);
  return isTooLarge(found) ? null : found;
}

/** The best plan as a state, with the views of what it stores. */
function stateOf({ graph }: Fusion, { regions }: Optimum): Fusion {
  const stored = new Set(regions.flatMap(({ outputs }) => outputs));
  const isThere = (id: NodeId): boolean => stored.has(id) || graph.nodes.get(id)!.op === "input";
  const views = [...naiveFusion(graph, "primitive").regions.values()].filter(
    (region) => isViewRegion(graph, region) && isThere(resolveView(graph, region.outputs[0]!)),
  );
  return { graph, regions: new Map([...regions, ...views].map((region) => [region.id, region])) };
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

/** Mean, median and largest of some regrets, largest first. */
function summary(regrets: readonly number[]): { mean: number; median: number; most: number; text: string } {
  const mean = regrets.reduce((sum, each) => sum + each, 0) / regrets.length;
  const [most = 0, median = 0] = [regrets[0], regrets[regrets.length >> 1]];
  return { mean, median, most, text: `mean ${percent(mean)}, median ${percent(median)}, most ${percent(most)}` };
}

test(
  "the examples: no plan is 1.5 % better by the price, but where a choice stands against it",
  { timeout: 300_000 },
  () => {
    const rows = examples.flatMap((example, i) => {
      const profile = i % 2 === 0 ? generic : measured;
      const options = { ...optionsFor(example, defaultOptions, null, defaultOptions), profile };
      const compilation = compile(example.text, options);
      const best = compilation.naive && options.matmulPolicy === "epilogue" ? bestOf(compilation) : null;
      return best ? [{ name: `${example.id}, ${profile.name}`, regret: regretOf(best) }] : [];
    });
    const { text } = summary(rows.map(({ regret }) => regret).toSorted((a, b) => b - a));
    console.log(`${rows.length} plans of examples: ${text}`);
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter(({ regret }) => regret > 0.015)).toEqual([]);
  },
);

describe("random programs", () => {
  const profiles = [generic, measured, laptop, bytesAlone];
  const regrets: number[] = [];

  test(
    "the best plan is a plan: whole, without cycles, with the same values, and priced no higher than the planner's",
    { timeout: 300_000 },
    () => {
      let turn = 0;
      fc.assert(
        fc.property(caseArbitrary, ({ text }) => {
          const graph = graphOf(text);
          const profile = profiles[turn++ % profiles.length]!;
          const compilation = compileGraph(graph, { ...defaultOptions, profile });
          const best = bestOf(compilation);
          if (!best) return;
          regrets.push(regretOf(best));
          expect(best.micros).toBeLessThanOrEqual(best.planned);
          if (best.micros === best.planned) return;
          const state = stateOf(fusionAt(compilation, compilation.steps.length), best);
          expect(shapeFaults(state)).toEqual([]);
          expect(valueFaults(graph, state, profile)).toEqual([]);
        }),
        { numRuns: Number(process.env.PLAN_LAWS ?? 25), seed: 7 },
      );
    },
  );

  test("the planner's regret only becomes less", () => {
    const { mean, median, text } = summary(regrets.toSorted((a, b) => b - a));
    console.log(`${regrets.length} plans of random programs: ${text}`);
    expect(median).toBe(0);
    expect(mean).toBeLessThan(process.env.PLAN_LAWS ? 0.1 : 0.005);
  });
});

test("a plan that does without fusion is far from the best one", () => {
  const compilation = compile("x: f32[1024, 1024]\ny = softmax(x)", {
    ...defaultOptions,
    level: 0,
    granularity: "primitive",
  });
  expect(regretOf(bestOf(compilation)!)).toBeGreaterThan(1);
});

test("a value with several readers is computed by each of them where that is cheaper than to store it", () => {
  const text = "x: f32[1024, 1024]\nh = relu(x)\na = h.sum(dim=0)\nb = (h * 2).T.sum(dim=0)";
  const compilation = compile(text, { ...defaultOptions, level: 0 });
  const { regions } = bestOf(compilation)!;
  expect(regions.filter(({ members }) => members.some((id) => id === "h")).length).toBeGreaterThan(0);
  expect(regions.flatMap(({ outputs }) => outputs)).not.toContain("h");
});
