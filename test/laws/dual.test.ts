/** @file Several products over one left operand: one kernel, in both schedules. */
import { expect, test } from "vitest";
import { lowerFusion } from "../../src/fusion/plan";
import { fusionAt } from "../../src/fusion/compile";
import { generic, totalsOf } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf, oneRegion } from "./kernel-harness";
import { compiled, stepFaults } from "./pass-harness";

const CASES: Readonly<Record<string, string>> = {
  gate: `x: f32[64, 48]\ng: f32[48, 96]\nu: f32[48, 96]\ny = silu(x @ g) * (x @ u)`,
  "odd sizes": `x: f32[37, 45]\ng: f32[45, 50]\nu: f32[45, 50]\ny = silu(x @ g) * (x @ u)`,
  "linear layers": `x: f32[2, 40, 32]\ng: f32[72, 32]\nu: f32[72, 32]\na: f32[72]\nb: f32[72]\ny = swiglu(linear(x, g, a), linear(x, u, b))`,
  "both are results": `x: f32[40, 32]\ng: f32[32, 64]\nu: f32[32, 64]\na = relu(x @ g)\nb = x @ u\nc = a + b\nreturn a, b, c`,
  "three results": `x: f32[64, 48]\nwq: f32[48, 96]\nwk: f32[48, 96]\nwv: f32[48, 96]\nb: f32[96]\nq = x @ wq + b\nk = x @ wk\nv = tanh(x @ wv)`,
  "three of odd sizes": `x: f32[37, 45]\nwq: f32[45, 50]\nwk: f32[45, 50]\nwv: f32[50, 45]\nq = x @ wq\nk = x @ wk\nv = x @ wv.T`,
  "four gates": `x: f32[40, 32]\nwi: f32[32, 64]\nwf: f32[32, 64]\nwg: f32[32, 64]\nwo: f32[32, 64]\nc: f32[40, 64]\nn = sigmoid(x @ wf) * c + sigmoid(x @ wi) * tanh(x @ wg)\nh = sigmoid(x @ wo) * tanh(n)\nreturn h, n`,
  "few rows": `x: f32[3, 32]\ng: f32[32, 64]\nu: f32[32, 64]\ny = silu(x @ g) * (x @ u)`,
};

test.each(Object.entries(CASES))("%s", (_, text) => {
  const graph = graphOf(text);
  const whole = oneRegion(graph);
  for (const target of [gpu, cpu]) expect(complaints(whole, target)).toEqual([]);
  const compilation = compiled(graph, { profile: { ...generic, launchMicros: 100 } });
  expect(stepFaults(compilation)).toEqual([]);
  const final = fusionAt(compilation, compilation.steps.length);
  expect(totalsOf(final, generic).kernels).toBe(1);
  for (const target of [gpu, cpu]) expect(complaints(final, target)).toEqual([]);
});

test("the left operand is fetched once for both", () => {
  const [region] = lowerFusion(oneRegion(graphOf(CASES["gate"]!)), gpu, generic);
  expect(region!.programs[0]!.schedule).toMatch(
    /^Tiles of \d+×\d+, \d+ of k at a time: .* outputs each, as many of each of the 2 matmuls\.$/,
  );
  expect(region!.facts.traffic.bytesRead).toBe(4 * (64 * 48 + 2 * 48 * 96));
});
