import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, inputData, runReference } from "../../fusion";
import { findExample, optionsFor } from "../../lessons";
import { foldedWeights } from "./folded-weights";

const lesson = findExample("conv-bn-relu")!;
const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
const { graph } = fusionAt(compilation, compilation.steps.length);
const found = foldedWeights(graph);

test("a convolution's weights are shown before and after its batch norm went into them", () => {
  const [weight] = found.filter(({ from }) => from !== null);
  expect(weight).toBeDefined();
  const source = [...compilation.naive!.graph.nodes.values()].find(({ label }) => label === weight!.from)!;
  expect(weight!.values[0]!.before).toBe(inputData(source)[0]);
  expect(weight!.largestChange).toBeGreaterThan(0);
});

test("what f32 loses of them is less than half a step of the largest", () => {
  for (const { largestError, values } of found) {
    expect(largestError).toBeLessThan(2 ** -20 * Math.max(1, ...values.map(({ after }) => Math.abs(after))));
  }
});

test("with them the program computes what it computed", () => {
  const [before, after] = [compilation.naive!.graph, graph].map((each) => runReference(each, new Map()));
  for (const [id, { data }] of before!)
    expect(data.findIndex((value, i) => Math.abs(value - after!.get(id)!.data[i]!) > 1e-9)).toBe(-1);
}, 120_000);

test("a program without weights has none", () => {
  const plain = compile("x: f32[64]\ny = exp(x)", defaultOptions);
  expect(foldedWeights(fusionAt(plain, plain.steps.length).graph)).toEqual([]);
});
