import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, nodeId, type Compilation } from "../fusion";
import { answerCheck, inputsOf, workOf } from "./check-answers";
import { chosenElements } from "./check-points";

const compiled = (text: string): Compilation => compile(text, defaultOptions);

function onCpu(text: string) {
  const compilation = compiled(text);
  const naive = fusionAt(compilation, 0);
  const fused = fusionAt(compilation, compilation.steps.length);
  const reply = answerCheck({
    kind: "cpu",
    given: new Map(),
    fusion: naive,
    options: defaultOptions,
    plans: [
      { plan: "naive", fusion: naive },
      { plan: "fused", fusion: fused },
    ],
  });
  if (reply.kind !== "cpu") throw new Error("another answer");
  return reply;
}

test("small programs run on the CPU, and both plans agree with the reference", () => {
  const { rows, summaries } = onCpu("x: f32[33, 65]\ny = softmax(exp(x) + 1)\n");
  expect(rows.map(({ plan, pass }) => [plan, pass])).toEqual([
    ["naive", true],
    ["fused", true],
  ]);
  expect(summaries[0]).toMatchObject({ shape: [33, 65], compared: 33 * 65, elements: 33 * 65 });
  expect(summaries[0]!.mean).toBeCloseTo(1 / 65, 10);
});

test("large programs are sampled, and say so", () => {
  const { rows, summaries, text } = onCpu("a: f32[1024, 1024]\nb: f32[1024, 1024]\ny = a @ b\n");
  expect(rows).toEqual([]);
  expect(summaries[0]).toMatchObject({ compared: 4096, elements: 1024 * 1024 });
  expect(text).toContain("chosen elements");
  const { graph } = fusionAt(compiled("x: f32[64, 32]\nw: f32[32, 16]\ny = relu(x @ w)\n"), 0);
  expect(workOf(graph)).toBe(64 * 16 * 32 + 64 * 16);
});

test("chosen elements are distinct, inside, sorted, with both ends", () => {
  for (const shape of [[], [7], [64, 64], [4097], [1_000_003], [3, 5, 70_001], [1, 1], [9999, 2], [2048, 2048]]) {
    const size = shape.reduce((product, extent) => product * extent, 1);
    const chosen = chosenElements(shape, 4096);
    expect(chosen.length).toBeLessThanOrEqual(Math.min(size, 4096));
    expect(chosen.length).toBeGreaterThanOrEqual(Math.min(size, 4096) / 2);
    expect(new Set(chosen).size).toBe(chosen.length);
    expect(chosen[0]).toBe(0);
    expect(chosen.at(-1)).toBe(size - 1);
    expect(chosen).toEqual(chosen.toSorted((a, b) => a - b));
  }
});

test("outputs that a rewrite renamed are found by their position", () => {
  const compilation = compiled("x: f32[8, 8]\nz = x * 1\ny = relu(z)\nreturn z, y\n");
  const fusion = fusionAt(compilation, 0);
  const final = fusionAt(compilation, compilation.steps.length);
  expect(final.graph.outputs.length).toBe(fusion.graph.outputs.length);
});

test("given numbers stand in for those of the seeds", () => {
  const fusion = fusionAt(compiled("x: f32[2, 2]\nw: f32[2] = param()\ny = x * w\nreturn y\n"), 0);
  const [w] = [...fusion.graph.nodes.keys()].filter((id) => id === "w");
  const given = new Map([[w!, Float32Array.of(0, 5)]]);
  const reply = answerCheck({ kind: "inputs", fusion, given });
  if (reply.kind !== "inputs") throw new Error("another answer");
  expect(reply.inputs.get(w!)).toEqual(Float32Array.of(0, 5));
  const summary = answerCheck({ kind: "cpu", fusion, given, options: defaultOptions, plans: [] });
  const [, b, , d] = [...inputsOf(fusion).get(nodeId("x"))!];
  expect(summary.kind === "cpu" && summary.summaries[0]!.first.map((value) => value + 0)).toEqual([
    0,
    b! * 5,
    0,
    d! * 5,
  ]);
});
