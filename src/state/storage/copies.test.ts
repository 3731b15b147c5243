import { expect, test } from "vitest";
import { programName } from "./copies";

test("a program is called by the class or function that it uses, else by its first line that says something", () => {
  const torch = "import torch\nimport torch.nn as nn\n\n";
  const block = "class Block(nn.Module):\n    def forward(self, x):\n        return x\n\n";
  const jax = "import jax\n@jax.jit\ndef loss(w, x):\n    return helper(w @ x)\n\ndef helper(x):\n    return x\n\n";
  const named: readonly (readonly [string, string])[] = [
    [`${torch}${block}`, "Block"],
    [`${torch}class Net(nn.Module):\n    pass\n\n${block}net = Net()\n`, "Net"],
    [`"""A docstring.\nclass of words\n"""\n${jax}g = jax.grad(loss)(w, x)\n`, "loss"],
    [`${torch}# what it is\nx: f32[8]\ny = x + 1\n`, "x: f32[8]"],
    ["import torch\n", "import torch"],
    ["  \n", "empty"],
  ];
  expect(named.map(([text]) => programName(text))).toEqual(named.map(([, name]) => name));
});
