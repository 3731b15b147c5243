import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt } from "./compile";
import { nodeId, type SavedValues } from "./ir";
import { savedMarks, type SavedMark } from "./saved-marks";

const text =
  "x: f32[1024, 1024]\nh = exp(x)\nr = relu(h * 2)\nloss = sum(r * r)\nloss.backward()\nreturn loss, x.grad\n";

/** Marks at the naive plan and at the end, by label. */
function marksOf(program: string, savedValues?: SavedValues): readonly (readonly [string, SavedMark][])[] {
  const compilation = compile(program, { ...defaultOptions, savedValues });
  return [0, compilation.steps.length].map((cursor) => {
    const fusion = fusionAt(compilation, cursor);
    const marks = savedMarks(fusion, compilation.steps.slice(0, cursor));
    return [...marks].map(([id, mark]) => [fusion.graph.nodes.get(id)!.label, mark]);
  });
}

test("a program without a backward pass has none", () => {
  expect(marksOf("x: f32[64]\ny = exp(x)\n")).toEqual([[], []]);
});

test("what kernels of the backward pass read is saved; what they recompute is not", () => {
  const [naive, end] = marksOf(text, { apart: true, policy: "recomputed", choices: {} });
  expect(naive!.length).toBeGreaterThan(1);
  expect(naive!.every(([, mark]) => mark === "saved")).toBe(true);
  expect(end).toContainEqual(["h", "again"]);
  expect(end!.some(([label, mark]) => label === "h" && mark === "saved")).toBe(false);
});

test("one bit an element is what is stored of a value that is only asked for its sign", () => {
  const relu =
    "x: f32[512, 512]\nw: f32[512, 512]\nh = relu(x)\nloss = sum(h * w)\nloss.backward()\nreturn loss, x.grad\n";
  const [, end] = marksOf(relu, { apart: true, choices: { [nodeId("h")]: "bits" } });
  expect(end!.map(([, mark]) => mark)).toEqual(["bits"]);
});

test("a value that a result gives back is taken from there", () => {
  const logged =
    "x: f32[512, 512]\na = exp(x)\nb = a + 1\ny = log(b)\nloss = sum(y)\nloss.backward()\nreturn y, loss, x.grad\n";
  const [, end] = marksOf(logged, { apart: true, choices: { [nodeId("a")]: "invert", [nodeId("b")]: "invert" } });
  expect(end).toContainEqual(["b", "inverted"]);
  expect(end).toContainEqual(["y", "saved"]);
});
