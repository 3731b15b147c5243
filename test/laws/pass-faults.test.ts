/** @file Faults that the laws must notice: each one is switched on, and some law must complain. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { countMutations, withCountMutation } from "../../src/fusion/cost/mutations";
import { passMutations, withMutation } from "../../src/fusion/passes/mutations";
import { graphOf, programArbitrary } from "../random-graph";
import { exampleFaults, examples } from "./decisions";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";

const programs = fc.sample(programArbitrary, { numRuns: 40, seed: 7 });
const fixed = [
  "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\ny = relu((x @ w) * s + s)",
  "x: f32[9, 7]\ny = relu(x * 2 * 3)",
  "x: f32[5, 5, 5]\ny = relu(x.permute(2, 0, 1)).permute(2, 0, 1) + 1",
  "x: f32[3, 31, 5]\ny = relu(transpose(transpose(x, 0, 1), 1, 2))",
  "x: f32[31, 31]\ny = relu(transpose(transpose(x, 0, 1), 0, 1)) + transpose(x, 0, 1)",
  "x: f32[5, 5, 5]\ny = relu(transpose(transpose(x, 0, 1), 1, 2))",
  "x: f32[33, 65]\na = x.sum(dim=0, keepdim=True)\nb = x.sum(dim=1, keepdim=True)\ny = x - a - b",
  "x: f32[33, 33]\na = x.sum(dim=0)\nb = x.sum(dim=1)\ny = a - b",
  "x: f32[4, 20000]\ny = softmax(x, dim=-1)",
  "x: f32[4, 20000]\ny = x.sum()",
  "x: f32[127]\nt = abs(x)\na = t + 1\nb = t * 2\ny = exp(x) * 1 + relu(exp(x) * 2)",
];

/** The first complaint of any law about any program; null when all are content. */
function complaint(): string | null {
  for (const example of examples) {
    const found = guarded(() => exampleFaults(example));
    if (found) return `${example.name}: ${found}`;
  }
  for (const text of [...fixed, ...programs]) {
    const found = guarded(() => {
      const graph = graphOf(text);
      const compilation = compiled(graph, { granularity: "primitive" });
      const structure = stepFaults(compilation);
      if (structure.length > 0) return structure;
      const final = fusionAt(compilation, compilation.steps.length);
      return [...valueFaults(graph, final), ...trafficFaults(final)];
    });
    if (found) return `${text}: ${found}`;
  }
  return null;
}

/** A bug that stops the compiler is noticed too. */
function guarded(ask: () => string[]): string | null {
  try {
    return ask()[0] ?? null;
  } catch (error) {
    return String(error);
  }
}

describe("faults", () => {
  test("none without a fault", () => {
    expect(complaint()).toBeNull();
  });
  test.each(passMutations)("%s is noticed", (name) => {
    expect(withMutation(name, complaint)).not.toBeNull();
  });
  test.each(countMutations)("%s is noticed", (name) => {
    expect(withCountMutation(name, complaint)).not.toBeNull();
  });
});
