/** @file What PyTorch refuses and other libraries take: pairs as tensors, axes that are left out, mixed products, other sizes in place. */
import { describe, expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";
import { parseProgram } from "..";
import { problems } from "../testing";

const X =
  "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nx = torch.randn(6, 8)\ni = torch.randint(0, 3, (8, 4))\n";
const errors = (text: string): string[] =>
  parseProgram(text)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map((each) => each.text);

const PAIR = "PyTorch answers a pair here, values and indices";
const MIXED = "PyTorch multiplies tensors of one dtype";
const AXIS = "PyTorch asks for the axis of";
const SIZES = "A tensor that is written into keeps its sizes";

// As torch 1.13 refuses them.
describe("in PyTorch", () => {
  test.each([
    ["y = torch.max(x, dim=1) * 2", PAIR],
    ["y = torch.min(x, 1) + 1", PAIR],
    ["y = -torch.sort(x)", PAIR],
    ["y = torch.topk(x, 3).sum()", PAIR],
    ["y = torch.exp(torch.cummax(x, 0))", PAIR],
    ["m = torch.max(x, dim=1)\ny = m - 1", PAIR],
    ["y = x.median(dim=1) - 1", "needs tensors or numbers; this is a tuple"],
    ["y = x @ i", MIXED],
    ["y = torch.mm(x, i)", MIXED],
    ["y = torch.bmm(x[None], i[None])", MIXED],
    ["y = torch.einsum('ij,jk->ik', x, i)", MIXED],
    ["y = F.linear(x, i.t())", MIXED],
    ["y = F.conv1d(x[None], torch.ones(2, 6, 3, dtype=torch.long))", MIXED],
    ["y = nn.Linear(4, 2)(i)", MIXED],
    ["y = x @ (i > 0)", MIXED],
    ["y = x.softmax()", AXIS],
    ["y = torch.log_softmax(x)", AXIS],
    ["y = x.cumsum()", AXIS],
    ["y = torch.logsumexp(x)", AXIS],
    ["y = F.cross_entropy(x, torch.randn(6))", "is f32: a target names one class for each row"],
    ["y = F.nll_loss(x, torch.randn(6))", "is f32: a target names one class for each row"],
    ["x += torch.randn(2, 6, 8)\ny = x", SIZES],
    ["x *= torch.randn(2, 1, 1)\ny = x", SIZES],
    ["x.add_(torch.randn(2, 6, 8))\ny = x", SIZES],
    ["y = torch.tensor(0.0)\ny += x", SIZES],
    ["x[0] = torch.randn(2, 8)\ny = x", "The part that is assigned to is 8; the value is 2×8."],
  ])("%s is refused", (line, message) => {
    expect(errors(`${X}${line}\nreturn y\n`).join("\n")).toContain(message);
  });

  test.each([
    ["y = torch.max(x, dim=1).values * 2"],
    ["y = x.max(1)[0] * 2"],
    ["v, at = x.topk(3)\ny = v * at"],
    ["m = x.sort()\ny = m.values + m[0] + m[1]"],
    ["v = x.max(dim=1)[0]\ny = v * v[0]"],
    ["def best(x):\n    return x.max(dim=1)[0]\nv = best(x)\ny = v * 2"],
    ["y = x.max() * 2 + x.amax(1)[0]"],
    ["y = i.t() @ i"],
    ["y = x @ i.float()"],
    ["y = x[:, 0] * i[:6, 0] + torch.outer(x[0], i[:, 0])[:6, 0]"],
    ["y = F.softmax(x) + nn.Softmax()(x) + x.softmax(-1) + torch.cumsum(x, 0)"],
    ["y = F.cross_entropy(x, torch.randn(6, 8)) + F.cross_entropy(x, torch.arange(6))"],
    ["x += torch.randn(8)\nx.unsqueeze_(0)\ny = x"],
    ["y = x + torch.randn(2, 6, 8)"],
  ])("%s is read", (lines) => {
    expect(errors(`${X}${lines}\nreturn y\n`)).toEqual([]);
  });
});

// As torch 1.13 answers: no axis is the first one of three, and else the second.
test.each([
  ["F.softmax(x)", 0.002],
  ["nn.Softmax()(x)", 0.002],
  ["F.softmax(x, dim=None)", 0.002],
  ["F.softmax(x[0])", 0.09],
  ["nn.LogSoftmax()(x[0])", -2.408],
])("%s goes along the axis that PyTorch takes", (call, first) => {
  const text = `import torch\nx: f32[2, 2, 3] = arange()\ny = ${call}\nreturn y\n`;
  expect(outputValues(text)[0]!.data[0]).toBeCloseTo(first, 3);
});

test.each([
  ["y = jnp.cumsum(x) + jax.nn.softmax(x).ravel()"],
  ["y = x @ jnp.ones((8, 4), dtype=jnp.int32)"],
  ["y = jnp.max(x, axis=1) * 2"],
  ["x += jnp.ones((2, 6, 8))\ny = x"],
])("JAX takes %s", (lines) => {
  expect(
    errors(`import jax\nimport jax.numpy as jnp\nx = jnp.ones((6, 8)) * jnp.arange(8.0)\n${lines}\nreturn y\n`),
  ).toEqual([]);
});

test("NumPy promotes, and keeps sizes in place", () => {
  const text = "import numpy as np\nx = np.random.randn(6, 8)\ni = np.arange(8)\n";
  expect(errors(`${text}y = x @ i + np.sort(x)[:, 0] * 2 + x.max(axis=1) * 2\nreturn y\n`)).toEqual([]);
  expect(errors(`${text}s = x.sum()\ns += x\nreturn s\n`)).toEqual([]);
  expect(errors(`${text}x += np.ones((2, 6, 8))\nreturn x\n`).join("\n")).toContain(SIZES);
});

describe("a line that wants a colon", () => {
  test.each([
    ["for k in range(3)\n    x = x + 1\n"],
    ["if x.shape[0] > 3\n    x = x + 1\n"],
    ["def f(x)\n    return x + 1\nx = f(x)\n"],
    ["class A(nn.Module)\n    def forward(self, x):\n        return x\nx = A()(x)\n"],
    ["with torch.no_grad()\n    x = x + 1\n"],
    ["try\n    x = x + 1\nexcept ValueError:\n    x = x + 2\n"],
    ["if x.shape[0] > 3:\n    x = x + 1\nelse\n    x = x + 2\n"],
    ["k = 0\nwhile k < 3\n    k += 1\nx = x + 1\n"],
  ])("%s", (lines) => {
    expect(errors(`${X}${lines}return x\n`)).toContain("A colon is missing at the end of this line: add `:`.");
  });

  test("is told once", () => {
    expect(errors(`${X}if x.shape[0] > 3\n    x = x + 1\nreturn x\n`)).toHaveLength(1);
  });
});

describe("dropout that nothing turns on", () => {
  const net = (p: string): string =>
    `${X}class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Dropout(${p})\n        self.b = nn.Dropout(${p})\n    def forward(self, x):\n        return self.b(self.a(x) * 2)\nm = M()\n`;
  const told = (text: string): number => problems(text).filter((each) => each.includes("Dropout is off")).length;
  test("is told once, unless the program says the mode", () => {
    expect(told(`${net("0.5")}return m(x)\n`)).toBe(1);
    expect(told(`${net("0.0")}return m(x)\n`)).toBe(0);
    expect(told(`${net("0.5")}m.eval()\nreturn m(x)\n`)).toBe(0);
    expect(told(`${net("0.5")}m.train()\nreturn m(x)\n`)).toBe(0);
  });
});
