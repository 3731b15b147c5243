/** @file Results that are written over the inputs they replace: where that is right, and that values and counts stay what they are. */
import { describe, expect, test } from "vitest";
import { compile, defaultOptions, fusionAt } from "../../src/fusion/compile";
import { planFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { complaints, cpu, gpu } from "./kernel-harness";

/** Programs, and the inputs that their fused plan writes over. */
const CASES: Readonly<Record<string, readonly [text: string, over: readonly string[]]>> = {
  "one state": ["x: f32[37]\nw: f32[37] = state(ones())\nw = w - 0.1 * x", ["w"]],
  "whole numbers": ["x: i32[8] = ones()\nn: i32[8] = state()\nn = n + x", ["n"]],
  "two states in one kernel": [
    "x: f32[5, 8]\nm: f32[5, 8] = state()\nw: f32[5, 8] = state(ones())\nm = 0.9 * m + x\nw = w - m",
    ["m", "w"],
  ],
  "two sizes in one grid": [
    "x: f32[64]\ny: f32[16]\na: f32[64] = state()\nb: f32[16] = state()\na = a * 0.5 + x\nb = b * 0.5 + y",
    ["a", "b"],
  ],
  "through a view": ["x: f32[40]\nw: f32[5, 8] = state(ones())\nw = (w.reshape(40) + x).reshape(5, 8)", ["w"]],
  "each made of the other": [
    "x: f32[8]\na: f32[8] = state(ones())\nb: f32[8] = state()\na, b = b + x, a - x\nreturn x",
    ["a", "b"],
  ],
  "two that are swapped": ["a: f32[8] = state(ones())\nb: f32[8] = state()\na, b = b, a\nreturn a + b", []],
  "read for a larger result": ["x: f32[6, 8]\nw: f32[8] = state(ones())\ny = x * w\nw = w * 0.5 + x[0]\nreturn y", []],
  "read at another index": ["w: f32[9] = state(uniform(0, 1))\nw = w + roll(w, 1)", []],
  "read transposed": ["w: f32[6, 6] = state(uniform(0, 1))\nw = w + w.T", []],
  "read where it is summed": ["w: f32[6, 6] = state(uniform(0, 1))\nw = w / w.sum()", []],
  "halves, which share a word": ["x: f16[8]\nw: f16[8] = state(ones())\nw = w - x", []],
};

describe.each(Object.entries(CASES))("%s", (_, [text, over]) => {
  const { diagnostics, ...compilation } = compile(text, {
    ...defaultOptions,
    profile: { ...generic, launchMicros: 100 },
  });
  const states = [0, compilation.steps.length].map((seq) => fusionAt({ diagnostics, ...compilation }, seq));

  test("is written over where each element is read by the thread that stores it", () => {
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    for (const target of [gpu, cpu]) {
      const { buffers, kernels } = planFusion(states[1]!, target, generic);
      const begins = buffers.flatMap((each) => (each.begins === undefined ? [] : [each.begins]));
      expect(begins.toSorted()).toEqual(over);
      expect(kernels.flatMap(({ bindings }) => bindings.filter(({ value }) => begins.includes(value)))).toEqual([]);
    }
  });

  test("keeps values and counts", () => {
    for (const state of states) for (const target of [gpu, cpu]) expect(complaints(state, target, 1e-7)).toEqual([]);
  });
});

test("a binding less for each: two tensors of Adam fit one kernel of eight buffers", () => {
  const adam = (i: number, size: number): string =>
    [
      ...["p", "m", "v"].map((name) => `${name}${i}: f32[${size}] = state()`),
      `g${i}: f32[${size}]`,
      `m${i} = 0.9 * m${i} + 0.1 * g${i}`,
      `v${i} = 0.99 * v${i} + 0.01 * g${i} * g${i}`,
      `p${i} = p${i} - 0.01 * m${i} / (sqrt(v${i}) + 1e-8)`,
    ].join("\n");
  const { fusedPlan } = compile([adam(0, 4096), adam(1, 64)].join("\n"), defaultOptions);
  expect(fusedPlan!.kernels.map(({ bindings }) => bindings.length)).toEqual([8]);
});
