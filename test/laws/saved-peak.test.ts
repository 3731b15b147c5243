/** @file What policies save of random programs: never more memory than with every value saved, and within a budget or with a reason. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fusionAt, planAt } from "../../src/fusion/compile";
import { savedBuffers } from "../../src/fusion/cost";
import { node, type Region, type SavedValues } from "../../src/fusion/ir";
import { budgetFault } from "../../src/fusion/saved-sheet";
import { differentiated } from "./gradient-case";
import { caseArbitrary, planned, type Case, type Planned } from "./plan-laws";

const [COUNT, SEED] = (process.env["SAVED_LAWS"] ?? "8:20261124").split(":").map(Number) as [number, number];
const POLICIES = ["cut", "segments", "recomputed"] as const;

const peakOf = ({ compilation }: Planned): number => planAt(compilation, compilation.steps.length).totals.peakBytes;
const savedOf = ({ compilation }: Planned, at = compilation.steps.length): number =>
  savedBuffers(fusionAt(compilation, at)).reduce((sum, { bytes }) => sum + bytes, 0);

/** Steps that have more saved than before and than the budget allows, once it is chosen what is saved: nothing is where that pass is off. */
function raisedAbove(plan: Planned, budgetBytes: number): string[] {
  if (plan.compilation.options.disabledPasses.includes("saved-values")) return [];
  const accepted = plan.compilation.steps.filter((step) => step.accepted);
  const chosen = accepted.findLastIndex(({ pass }) => pass === "saved-values");
  return accepted.slice(chosen + 1).flatMap(({ seq, pass, rule }) => {
    const [before, after] = [savedOf(plan, seq - 1), savedOf(plan, seq)];
    return after > Math.max(before, budgetBytes)
      ? [`step ${seq} (${pass}/${rule}) saves ${after} instead of ${before}, of ${budgetBytes} allowed`]
      : [];
  });
}

/** What a program with gradients breaks; `seen` counts plans that were held against something. */
function faultsOf(
  one: Case,
  apart: boolean,
  share: number,
  seen: { peaks: number; met: number; over: number },
): string[] {
  const whole = differentiated(one);
  if (!whole) return [];
  const plan = (asked: Partial<SavedValues>): Planned =>
    planned(whole, { savedValues: { apart, choices: {}, ...asked } });
  const stored = plan({ policy: "stored" });
  const plans = POLICIES.map((policy) => ({ policy, made: plan({ policy }) }));
  const faults = plans.flatMap(({ policy, made }) => {
    const peak = peakOf(made);
    if (peak < peakOf(stored)) seen.peaks++;
    return peak > peakOf(stored) ? [`${policy}: peak ${peak}, with every value saved ${peakOf(stored)}`] : [];
  });
  const budgetBytes = Math.floor((savedOf(stored) * share) / 4);
  const within = plan({ policy: "cut", budgetBytes });
  const saved = savedOf(within);
  const { compilation } = within;
  const warned = budgetFault(compilation, compilation.naive!.graph, fusionAt(compilation, compilation.steps.length));
  if (saved <= budgetBytes) seen.met++;
  else seen.over++;
  if (warned.length > 0 !== saved > budgetBytes)
    faults.push(
      `saves ${saved} of ${budgetBytes} allowed, and says ${warned.map(({ text }) => text).join() || "nothing"}`,
    );
  faults.push(...raisedAbove(within, budgetBytes));
  // Where a policy saves no more than the budget, the budget can be met.
  const possible = plans.filter(({ made }) => savedOf(made) <= budgetBytes).map(({ policy }) => policy);
  if (saved > budgetBytes && possible.length > 0)
    faults.push(`saves ${saved} of ${budgetBytes} allowed, which ${possible.join(", ")} would keep to`);
  return faults;
}

test(
  `of ${COUNT} random programs, seed ${SEED}: no policy has a higher peak than saving every value, and a budget holds where it can`,
  { timeout: 300_000 },
  () => {
    const seen = { peaks: 0, met: 0, over: 0 };
    const law = fc.property(
      caseArbitrary,
      fc.boolean(),
      fc.nat({ max: 4 }),
      (one, apart, share) => faultsOf(one, apart, share, seen).length === 0,
    );
    const result = fc.check(law, {
      numRuns: COUNT,
      seed: SEED,
      endOnFailure: true,
    });
    const [one, apart, share] = result.counterexample ?? [];
    expect(
      result.failed
        ? [differentiated(one!)!.text, one!.ways, apart, share, ...faultsOf(one!, apart!, share!, seen)]
        : [],
    ).toEqual([]);
    expect(seen.met).toBeGreaterThan(0);
    expect(seen.peaks).toBeGreaterThan(0);
  },
);

test("a budget frees what a freed value is made of, too", () => {
  const text =
    "x: f32[7, 7]\nv = x.mean(dim=0, keepdim=True)\ny = v.sum() + linspace(-1, 1, 7)\nloss = sum(tanh(y))\nloss.backward()\nreturn loss, x.grad";
  const made = planned(
    { text, ways: [2, 3, 2, 5, 2] },
    { savedValues: { apart: false, choices: {}, policy: "cut", budgetBytes: 0 } },
  );
  expect(savedOf(made)).toBe(0);
});

test("no merge has the backward pass read more than the budget allows", () => {
  const text = "x: f32[8]\ny = cummax(x, dim=0) / 3\nloss = sum(tanh(y))\nloss.backward()\nreturn loss, x.grad";
  const made = planned(
    { text, ways: [0, 3, 1, 1, 0] },
    { savedValues: { apart: false, choices: {}, policy: "cut", budgetBytes: 16 } },
  );
  expect(savedOf(made)).toBeLessThanOrEqual(16);
  const refused = made.compilation.steps.find(({ profitable }) => profitable?.limit?.what === "saved values");
  expect(refused?.profitable?.text).toMatch(/would be saved instead of 8 B, above the 16 B allowed/);
});

test("what a kernel reads for the forward pass alone is not saved for backward", () => {
  const text =
    "x0: f32[2]\nx1: f32[2, 2]\nx2: f32[2, 2]\nv1 = tensordot(x0, x1, dims=1)\nv2 = x2 @ v1\nloss = sum(tanh(v2))\nloss.backward()\nreturn loss, x0.grad, x1.grad, x2.grad";
  const made = planned(
    { text, ways: [0, 0, 14, 1, 0] },
    { savedValues: { apart: false, choices: {}, policy: "cut", budgetBytes: 12 } },
  );
  const { graph, regions } = fusionAt(made.compilation, made.compilation.steps.length);
  const phases = ({ members }: Region): number => new Set(members.map((id) => node(graph, id).phase)).size;
  expect([...regions.values()].some((region) => region.members.length > 1 && phases(region) > 1)).toBe(true);
  expect(savedOf(made)).toBeLessThanOrEqual(12);
});

test("a budget that nothing is chosen by, as the pass is off, keeps no kernels apart", () => {
  const text =
    "x: f32[3, 3]\ni: i32[3, 3] = uniform(0, 3)\nv = scatter_add(x, i, tanh(x), axis=1)\nloss = sum(tanh(v))\nloss.backward()\nreturn loss, x.grad";
  const savedWithin = (budgetBytes?: number): number =>
    savedOf(
      planned(
        { text, ways: [0, 4, 11, 2, 5] },
        {
          savedValues: {
            apart: false,
            choices: {},
            policy: "cut",
            ...(budgetBytes === undefined ? {} : { budgetBytes }),
          },
        },
      ),
    );
  expect(savedWithin(0)).toBeLessThanOrEqual(savedWithin());
});

test("attention is planned where its backward pass runs apart and its rows are read elsewhere, too", () => {
  const text =
    "q: f32[4, 4, 33]\nk: f32[4, 3, 33]\nv: f32[4, 3, 3]\nt: f32[4, 4, 3] = uniform(0, 1)\no = scaled_dot_product_attention(q, k, v)\nloss = sum(tanh(binary_cross_entropy(sigmoid(o), t)))\nloss.backward()\nreturn loss, q.grad, k.grad, v.grad";
  const made = planned({ text, ways: [0, 1, 4, 2, 1] }, { savedValues: { apart: true, choices: {}, policy: "cut" } });
  expect(made.compilation.steps.length).toBeGreaterThan(0);
});
