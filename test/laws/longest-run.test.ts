/** @file The naive plan looks for a call's longest kernel no further than `longestRun` says, so nothing further may be one. */
import { expect, test } from "vitest";
import type { Graph } from "../../src/fusion/ir";
import { fitsOneKernel, regionsOf } from "../../src/fusion/passes/driver/naive";
import { longestRun } from "../../src/fusion/kernel";
import { computed } from "../build";
import { graphOf } from "../random-graph";
import { randomProgram } from "./random-program";

const layers = `import torch.nn as nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 6, batch_first=True)
        self.heads = nn.MultiheadAttention(6, 2, batch_first=True)
        self.norm = nn.BatchNorm1d(6)
    def forward(self, x):
        y, (h, c) = self.rnn(x)
        z, _ = self.heads(y, y, y)
        return self.norm(z[:, -1]).softmax(dim=-1), h.sort(dim=-1)
x = torch.randn(2, 3, 4)
model = M()
y = model(x)`;

/** Lists of members that are too long for one kernel by `longestRun`; fails where a kernel computes one of them. */
function tooLong(graph: Graph, step: number): number {
  const members = computed(graph);
  const outputs = new Set(graph.outputs);
  let count = 0;
  for (let from = 0; from < members.length; from += step) {
    const rest = members.slice(from);
    for (let length = Math.max(2, longestRun(graph, rest) + 1); length <= rest.length; length++) {
      count++;
      const isKernel = regionsOf(graph, rest.slice(0, length), outputs).every((region) => fitsOneKernel(graph, region));
      expect(isKernel, `${length} members from ${rest[0]!} on`).toBe(false);
    }
  }
  return count;
}

test("no kernel of the naive plan is longer", () => {
  expect(tooLong(graphOf(layers), 7)).toBeGreaterThan(100);
  for (let seed = 0; seed < 20; seed++) tooLong(graphOf(randomProgram(seed)), 2);
});
