/** @file Laws of the passes that rewrite by algebra: values stay, counts stay exact, strict mode refuses. */
import { describe, expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { foldedData, inputData, runReference } from "../../src/fusion/reference";
import type { NodeId, ReasonCode } from "../../src/fusion/ir";
import { allPasses } from "../../src/fusion/passes";
import { graphOf } from "../random-graph";
import { wordFaults } from "./decisions";
import { compiled, stepFaults, trafficFaults, valueFaults } from "./pass-harness";

const channels = (count: number): string =>
  [`m: f32[${count}] = param()`, `v: f32[${count}] = param(uniform(0.5, 2))`, `g: f32[${count}] = param()`, `b: f32[${count}] = param()`].join("\n"); // prettier-ignore

/** Programs in which weights take what follows them, and the pass that does it. */
const foldable: readonly (readonly [string, string])[] = [
  ["conv–bn–relu", `x: f32[2, 3, 9, 9]\nw: f32[5, 3, 3, 3] = param()\nc: f32[5] = param()\n${channels(5)}\ny = relu(batch_norm(conv2d(x, w, c, padding=1), m, v, g, b))`],
  ["conv–bn as the result", `x: f32[2, 3, 9, 9]\nw: f32[5, 3, 3, 3] = param()\n${channels(5)}\ny = batch_norm(conv2d(x, w, stride=2), m, v, g, b)`],
  ["grouped conv–bn", `x: f32[2, 4, 7, 7]\nw: f32[6, 2, 3, 3] = param()\n${channels(6)}\ny = batch_norm(conv2d(x, w, groups=2), m, v, g, b) * 2`],
  ["depthwise conv–bn", `x: f32[1, 4, 7, 7]\nw: f32[4, 1, 3, 3] = param()\n${channels(4)}\ny = relu(batch_norm(conv2d(x, w, groups=4), m, v, g, b))`],
  ["one-dimensional conv–bn", `x: f32[2, 3, 17]\nw: f32[5, 3, 3] = param()\n${channels(5)}\ny = batch_norm(conv1d(x, w), m, v, g, b)`],
  ["conv and one channel", `x: f32[2, 3, 7, 7]\nw: f32[1, 3, 3, 3] = param()\n${channels(1)}\ny = batch_norm(conv2d(x, w), m, v, g, b)`],
  ["linear–bn", `x: f32[9, 7]\nw: f32[5, 7] = param()\nc: f32[5] = param()\n${channels(5)}\ny = relu(batch_norm(linear(x, w, c), m, v, g, b))`],
  ["matmul and a scale for each column", "x: f32[4, 9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\ny = relu((x @ w) * s)"],
  ["matmul and a scale, as the result", "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\ny = (x @ w) * s"],
  ["a batch of weights", "x: f32[3, 9, 7]\nw: f32[3, 7, 5] = param()\ns: f32[3, 1, 5] = param()\ny = relu((x @ w) / s - s)"],
  ["weights on the left", "x: f32[7, 9]\nw: f32[5, 7] = param()\ns: f32[5, 1] = param()\ny = exp(1 - (w @ x) * s)"],
  ["numbers alone", "x: f32[9, 7]\nw: f32[7, 5] = param()\ny = relu(-(x @ w) * 0.5 + 3 - 1)"],
  ["a scalar weight", "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[] = param()\nt: f32[1] = param()\ny = relu((x @ w) * s + t)"],
  ["two shifts", "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\nt: f32[5] = param()\ny = relu(x @ w + s - t)"],
  ["an expression of weights", "x: f32[9, 7]\nw: f32[7] = param()\nv: f32[7] = param()\ny = x * (w / (abs(v) + 1)) + relu(w)"],
  ["folded twice", "x: f32[9, 7]\nw: f32[7, 5] = param()\nu: f32[5, 7] = param()\ns: f32[5] = param()\ny = relu((x @ (w * 2)) * s) @ (u / 3) * 4 + s.sum()"],
]; // prettier-ignore

const alone = (name: string): string[] => allPasses.map((pass) => pass.name).filter((other) => other !== name);

describe.each(foldable)("%s", (_name, text) => {
  const graph = graphOf(text);
  const folded = (strict = false) => compiled(graph, { disabledPasses: alone("weight-folding"), strict });

  test("is folded, with its values and exact counts", () => {
    for (const compilation of [folded(), compiled(graph), compiled(graph, { granularity: "primitive" })]) {
      expect(compilation.steps.some(({ pass, accepted }) => pass === "weight-folding" && accepted)).toBe(true);
      expect(stepFaults(compilation)).toEqual([]);
      const final = fusionAt(compilation, compilation.steps.length);
      expect(valueFaults(graph, final)).toEqual([]);
      expect(trafficFaults(final)).toEqual([]);
      expect(compilation.steps.flatMap(wordFaults)).toEqual([]);
    }
  });

  test("is not folded in strict mode, and says so", () => {
    const steps = folded(true).steps.filter(({ pass }) => pass === "weight-folding");
    expect(steps.map(({ accepted, legal }) => [accepted, legal.code])).toContainEqual([false, "L_STRICT"]);
    expect(steps.some(({ accepted }) => accepted)).toBe(false);
  });
});

test.each<[string, string, ReasonCode]>([
  ["weights that a run brings", `x: f32[2, 3, 9, 9]\nw: f32[5, 3, 3, 3]\n${channels(5)}\ny = relu(batch_norm(conv2d(x, w), m, v, g, b))`, "L_NOT_CONST"],
  ["scales that a run brings", "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5]\ny = relu((x @ w) * s)", "L_NOT_CONST"],
  ["batch norm in training", `x: f32[2, 3, 9, 9]\nw: f32[5, 3, 3, 3] = param()\n${channels(5)}\ny = relu(batch_norm(conv2d(x, w), m, v, g, b, training=True))`, "L_NOT_CONST"],
])("%s are refused", (_name, text, code) => {
  const steps = compiled(graphOf(text)).steps.filter(({ pass }) => pass === "weight-folding");
  expect(steps.filter(({ rule }) => rule === "into-weight").map(({ accepted, legal }) => [accepted, legal.code])).toEqual([[false, code]]);
  expect(steps.flatMap(wordFaults)).toEqual([]);
}); // prettier-ignore

test.each([
  [
    "a result in between",
    "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\nh = x @ w\ny = h * s\nreturn h, y",
  ],
  [
    "a scale along the rows of the input",
    "x: f32[5, 5]\nw: f32[5, 5] = param()\ns: f32[5, 1] = param()\ny = (x @ w) * s",
  ],
  ["a bias alone", "x: f32[9, 7]\nw: f32[7, 5] = param()\ns: f32[5] = param()\ny = relu(x @ w + s)"],
  ["a number divided by the product", "x: f32[9, 7]\nw: f32[7, 5] = param()\ny = 2 / (x @ w)"],
])("%s leaves the weights alone", (_name, text) => {
  const { steps } = compiled(graphOf(text));
  expect(steps.filter(({ pass }) => pass === "weight-folding")).toEqual([]);
});

test("a folded weight is what the formula says, with data of the caller", () => {
  const graph = graphOf("x: f32[2, 2]\nw: f32[2, 2] = param()\ns: f32[2] = param()\ny = (x @ w) * s");
  const compilation = compiled(graph);
  const given = new Map([["w" as NodeId, [1, 2, 3, 4]], ["s" as NodeId, [10, 100]]]); // prettier-ignore
  const { graph: fused } = fusionAt(compilation, compilation.steps.length);
  const [weight] = foldedData(fused, given).values();
  expect([...weight!]).toEqual([10, 200, 30, 400]);
  const x = [...graph.nodes.values()].find(({ id }) => id === "x")!;
  const inputs = new Map([...given, [x.id, inputData(x)] as const]);
  expect(runReference(fused, inputs).get("y" as NodeId)!.data).toEqual(runReference(graph, inputs).get("y" as NodeId)!.data); // prettier-ignore
});
