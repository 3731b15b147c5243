import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, nodeId, planAt } from "../../fusion";
import { kernelSentence } from "./kernel-of";

const compilation = compile("x: f32[64, 32]\nh = softmax(x, dim=-1)\ny = relu(h)\nreturn y\n", defaultOptions);
const said = (cursor: number, id: string): string =>
  kernelSentence(planAt(compilation, cursor), fusionAt(compilation, cursor).graph, nodeId(id));

test("apart and fused, every op says which kernel computes it", () => {
  const last = compilation.steps.length;
  expect(said(0, "h")).toMatch(/^Computed by \*\*K1\*\*/);
  expect(said(0, "y")).toMatch(/^Computed by \*\*K2\*\*/);
  expect(said(last, "h")).toBe(said(last, "y"));
});

test("an input is computed by nobody", () => expect(said(0, "x")).toBe(""));
