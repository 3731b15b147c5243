import { expect, test } from "vitest";
import { alignSteps, changedDecisions } from "./changed-decisions";
import { compile, defaultOptions } from "./compile";
import type { CompileOptions } from "./ir";

const text = "x: f32[2048, 768]\nw: f32[768]\nr: f32[2048, 768]\nh = layer_norm(x, w, w)\ny = gelu(h) + r * softmax(h)";
const pairs: readonly (readonly [Partial<CompileOptions>, Partial<CompileOptions>])[] = [
  [{}, {}],
  [{ level: 1 }, { level: 3 }],
  [{ strict: true }, { strict: false }],
  [{ level: 0 }, {}],
  [{}, { policy: "materialise" }],
];

test.each(pairs)("steps beside each other keep the order of both, and mark each difference once (%j, %j)", (a, b) => {
  const [before, after] = [a, b].map((change) => compile(text, { ...defaultOptions, ...change }).steps) as [
    ReturnType<typeof compile>["steps"],
    ReturnType<typeof compile>["steps"],
  ];
  const aligned = alignSteps(before, after);
  expect(aligned.flatMap((each) => each.before ?? [])).toEqual(before);
  expect(aligned.flatMap((each) => each.after ?? [])).toEqual(after);
  const both = aligned.filter((each) => each.before && each.after);
  const asked = (step: (typeof before)[number] | null) => [step?.pass, step?.rule, step?.nodes];
  expect(both.map((each) => asked(each.before))).toEqual(both.map((each) => asked(each.after)));
  const marked = new Set(aligned.flatMap(({ change }) => change ?? []));
  const all = changedDecisions(before, after);
  expect(marked.size).toBe(all.length);
  expect([...marked].map(({ pass, nodes }) => `${pass} ${nodes.join()}`).toSorted()).toEqual(
    all.map(({ pass, nodes }) => `${pass} ${nodes.join()}`).toSorted(),
  );
});
