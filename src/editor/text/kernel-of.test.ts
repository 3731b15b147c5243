import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, nodeId, planAt } from "../../fusion";
import { kernelSentence } from "./kernel-of";

const compilation = compile("x: f32[64, 32]\nh = softmax(x, dim=-1)\ny = relu(h)\nreturn y\n", defaultOptions);
const textOf = (cursor: number, id: string): string =>
  kernelSentence(planAt(compilation, cursor), fusionAt(compilation, cursor).graph, nodeId(id));

test("apart and fused, every op says which kernel computes it", () => {
  const last = compilation.steps.length;
  expect(textOf(0, "h")).toMatch(/^Computed by \*\*K1\*\*/);
  expect(textOf(0, "y")).toMatch(/^Computed by \*\*K2\*\*/);
  expect(textOf(last, "h")).toBe(textOf(last, "y"));
});

test("an input is computed by nobody", () => expect(textOf(0, "x")).toBe(""));
