import { expect, test } from "vitest";
import { applyTextEdits, nodeId } from "../fusion";
import { addReader } from "./edits";

const added = (text: string, op: string, from: string): string => {
  const edited = addReader(text, op, nodeId(from));
  expect(edited.ok).toBe(true);
  return edited.ok ? applyTextEdits(text, edited.edits) : text;
};

test("an op that is added to a value reads it, at its first operand that takes it", () => {
  const text = "x: f32[8, 8]\ny = relu(x)\n";
  expect(added(text, "exp", "y")).toBe(`${text}exp_1 = exp(y)\n`);
  expect(added(text, "softmax", "y")).toMatch(/\nsoftmax\w* = softmax\(y/);
  expect(added(text, "add", "y")).toMatch(/\nadd\w* = (y \+ \.\.\.|add\(y, \.\.\.\))\n$/);
});
