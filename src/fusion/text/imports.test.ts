/** @file Names that an import gives what libraries have, and what Python's own values answer. */
import { describe, expect, test } from "vitest";
import { outputValues } from "../../../test/output-values";
import { problems } from "./testing";

const X = "x: f32[2, 3] = arange()\n";
const data = (text: string): readonly (readonly number[])[] => outputValues(text).map((each) => each.data);

describe("imports under another name", () => {
  test.each([
    ["a module", "import torch.nn.functional as f\n", "f.relu(x - 2)"],
    ["a module of a library", "from numpy import linalg as la\n", "la.norm(x, axis=1)"],
    ["a function", "from torch.nn.functional import softmax as sm\n", "sm(x, dim=-1)"],
    ["a class", "from torch.nn import ReLU as Act\n", "Act()(x - 2)"],
  ])("%s", (_what, line, call) => {
    const plain = call
      .replace(/\bf\./, "F.")
      .replace("la.", "np.linalg.")
      .replace("sm(", "F.softmax(")
      .replace("Act", "nn.ReLU");
    expect(data(`${line}${X}return ${call}\n`)).toEqual(data(`${X}return ${plain}\n`));
  });

  test("a name of one's own goes before", () => {
    const text = `import torch.nn.functional as f\n${X}def g(f):\n  return f(x)\nreturn g(lambda t: t + 1), f.relu(x)\n`;
    expect(data(text)).toEqual([
      [1, 2, 3, 4, 5, 6],
      [0, 1, 2, 3, 4, 5],
    ]);
  });

  test("what is not known here is told where it is used", () => {
    expect(problems("import seaborn as sb\nx: f32[2]\ny = sb.smooth(x)\n").join(" ")).toMatch(/sb/);
  });
});

describe("what Python's values answer", () => {
  test.each([
    ["math.log(8, 2)", 3],
    ["np.shape(x)[1]", 3],
    ["np.size(x)", 6],
    ["np.size(x, 0)", 2],
    ["np.ndim(x)", 2],
    ["1 if x.is_floating_point() else 0", 1],
    ["1 if torch.is_floating_point(x > 1) else 0", 0],
    ["1 if math.log2(12).is_integer() else 0", 0],
    ["[4, 5, 6].index(6)", 2],
    ["(4, 5, 4).count(4)", 2],
  ])("%s", (call, value) => {
    expect(data(`${X}return x.sum() * 0 + (${call})\n`)[0]![0]).toBeCloseTo(value, 12);
  });

  test("a tuple is no text", () => {
    expect(
      data(`${X}a, b = (1, 2), "wide"\nreturn x.sum() * 0 + (1 if a == b else 2), x[0, 0] + (3 if a != b else 4)\n`),
    ).toEqual([[2], [3]]);
  });

  test("a list forgets an item", () => {
    expect(data(`${X}axes = list(range(x.ndim))\naxes.remove(0)\nreturn x.sum(axes)\n`)).toEqual([[3, 12]]);
  });

  test("a NamedTuple is taken apart and indexed in the order of its fields", () => {
    const text = `class Pair(NamedTuple):\n  low: Array\n  high: Array\n${X}p = Pair(x, x + 1)\na, b = p\nreturn b - p[0] + a - p.low\n`;
    expect(data(text)).toEqual([[1, 1, 1, 1, 1, 1]]);
  });

  test("a function that is compiled under its own name is still the program", () => {
    expect(data("def step(x: f32[2] = ones()):\n  return x * 2\nstep = jax.jit(step)\n")).toEqual([[2, 2]]);
  });
});
