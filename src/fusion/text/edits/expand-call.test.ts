import { expect, test } from "vitest";
import { nodeId } from "../../ir";
import { parseProgram } from "../program";
import { applyTextEdits } from "./apply";
import { expandCall } from "./expand-call";
import { matchGraphs } from "./match";

const X = "x: f32[4, 8]  # data\n";
const after = (text: string, id: string): string => {
  const edited = expandCall(X + text, nodeId(id));
  return edited.ok ? applyTextEdits(X + text, edited.edits).replace(X, "") : `refused: ${edited.text}`;
};

test("a call becomes a line for each part, and its own line ends with the last", () => {
  expect(after("y = softmax(x, dim=-1)  # rows\nz = y * 2\n", "y")).toBe(
    [
      "y_max = max(x, axes=(-1,), keepdims=True)",
      "y_shifted = x - y_max",
      "y_exp = exp(y_shifted)",
      "y_sum = sum(y_exp, axes=(-1,), keepdims=True)",
      "y = y_exp / y_sum  # rows",
      "z = y * 2",
      "",
    ].join("\n"),
  );
});

test("a part stands for its call", () => {
  expect(after("y = softmax(x, dim=-1)\n", "y.exp")).toBe(after("y = softmax(x, dim=-1)\n", "y"));
});

test("nested calls and operands get names first", () => {
  const text = after("z = exp(softmax(x * 2, dim=-1)) + 1\n", "z/0/0");
  expect(text).toMatch(/^mul_1 = x \* 2\n/);
  expect(text).toMatch(/\nsoftmax_1 = \w+ \/ \w+\nz = exp\(softmax_1\) \+ 1\n$/);
});

test.each([
  ["y = layer_norm(x, (8,))\n", "y"],
  ["w: f32[8]\nb: f32[8]\ny = gelu(layer_norm(x, w, b))\n", "y/0"],
  ["y = log_softmax(x, dim=0) + softmax(x, dim=0)\n", "y/0"],
  ["q: f32[8, 8]\ny = scaled_dot_product_attention(x, q, q, is_causal=True)\n", "y"],
  ['y = cross_entropy(x, arange(4), reduction="none")\n', "y"],
  ["y_max = x * 3\ny = softmax(x, dim=-1) + y_max\n", "y/0"],
  ["def f(a):\n    return rms_norm(a, (8,)) * 2\ny = f(f(x))\n", "y/f#0.2/0"],
  ["for i in range(3):\n    x = l2_normalize(x, dim=-1)\ny = x\n", "i#1/x"],
])("the same program comes out of %s", (text, id) => {
  const given = parseProgram(X + text);
  const call = given.graph.nodes.has(nodeId(id)) ? id : [...given.partOf.values()][0]!;
  const edited = expandCall(X + text, nodeId(call));
  expect(edited).toMatchObject({ ok: true });
  const again = parseProgram(X + after(text, call));
  expect(again.diagnostics).toEqual([]);
  expect(matchGraphs(given.graph, again.graph).complete).toBe(true);
});

test("positions of parts follow their new names", () => {
  const edited = expandCall(`${X}y = softmax(x, dim=-1)\n`, nodeId("y"));
  expect(edited.ok && edited.ids.get(nodeId("y.exp"))).toBe("y_exp");
});

test("one op has no parts", () => {
  expect(after("y = relu(x)\n", "y")).toBe("refused: relu y is one op: it has no parts to expand.");
  expect(after("y = relu(x)\n", "x")).toMatch(/^refused: x is one op/);
});
