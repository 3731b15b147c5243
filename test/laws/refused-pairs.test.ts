/** @file A refusal of a row behind a matmul names what stands against it, not what an earlier step has joined. */
import { expect, test } from "vitest";
import type { Compilation } from "../../src/fusion/compilation";
import { fusionAt } from "../../src/fusion/compile";
import { examples } from "./decisions";
import { graphOf } from "./kernel-harness";
import { compiled } from "./pass-harness";

const TEXTS = {
  "the largest of a softmax behind a matmul": `x: f32[4096, 512]
w: f32[512, 64]
probs = softmax(x @ w, dim=-1)
v, i = topk(probs, 2)
return v, i`,
  "a norm before a matmul whose tiles are folded": `h: f32[4096, 64]
w: f32[200, 64]
labels: i32[4096] = uniform(0, 200)
return F.cross_entropy(F.linear(F.layer_norm(h, (64,)), w), labels)`,
};

/** Refusals that name a matmul and an op which one kernel holds before the step. */
function faultsOf(compilation: Compilation): string[] {
  return compilation.steps.flatMap(({ legal, rule }, at) => {
    if (legal.ok || legal.code !== "L_ROW_NOT_OWNED") return [];
    const holds = [...fusionAt(compilation, at).regions.values()].find(({ members }) =>
      legal.nodes.every((id) => members.includes(id)),
    );
    return holds ? [`step ${at + 1} (${rule}): ${legal.text}`] : [];
  });
}

test.each(Object.entries(TEXTS))("%s", (_, text) => {
  const compilation = compiled(graphOf(text));
  expect(compilation.steps.some(({ legal }) => !legal.ok)).toBe(true);
  expect(faultsOf(compilation)).toEqual([]);
});

test.each(examples.map((example) => [example.name, example] as const))("%s", (_, example) => {
  expect(faultsOf(compiled(graphOf(example.text), example.options))).toEqual([]);
});
