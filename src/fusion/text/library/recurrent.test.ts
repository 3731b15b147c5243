/** Recurrent layers against their equations, written here with the layers' own weights. */
import { expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";

const INPUT = "x: f32[5, 2, 3] = randn(seed=1)\nh0: f32[2, 2, 4] = randn(seed=2)\nc0: f32[2, 2, 4] = randn(seed=3)";

/** What a step makes of its state, for each layer. */
const STEPS = {
  RNN: "    h = torch.tanh(gates_of(t) + linear(h, m.weight_hh_l0, m.bias_hh_l0))",
  GRU: [
    "    r, z, n = gates_of(t).chunk(3, dim=-1)",
    "    hr, hz, hm = linear(h, m.weight_hh_l0, m.bias_hh_l0).chunk(3, dim=-1)",
    "    z = torch.sigmoid(z + hz)",
    "    h = (1 - z) * torch.tanh(n + torch.sigmoid(r + hr) * hm) + z * h",
  ].join("\n"),
  LSTM: [
    "    i, f, g, o = (gates_of(t) + linear(h, m.weight_hh_l0, m.bias_hh_l0)).chunk(4, dim=-1)",
    "    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)",
    "    h = torch.sigmoid(o) * torch.tanh(c)",
  ].join("\n"),
} as const;

const valuesOf = (lines: readonly string[]): readonly (readonly number[])[] =>
  outputValues(lines.join("\n")).map(({ data }) => [...data]);

function close(found: readonly number[], wanted: readonly number[]): void {
  expect(found.length).toBe(wanted.length);
  found.forEach((value, at) => expect(value).toBeCloseTo(wanted[at]!, 5));
}

test.each(Object.entries(STEPS))("%s: its steps, one after the other, from a given state", (name, step) => {
  const first = name === "LSTM" ? "(h0[:1], c0[:1])" : "h0[:1]";
  const last = name === "LSTM" ? "(hn, cn)" : "hn";
  const [y, hn, steps, end] = valuesOf([
    INPUT,
    `m = nn.${name}(3, 4)`,
    `y, ${last} = m(x, ${first})`,
    "def gates_of(t):",
    "    return linear(x[t], m.weight_ih_l0, m.bias_ih_l0)",
    "h, c = h0[0], c0[0]",
    "shown = []",
    "for t in range(5):",
    step,
    "    shown.append(h)",
    "return y, hn, torch.stack(shown), h",
  ]);
  expect(new Set(y).size).toBe(40); // no two alike: the weights are drawn
  close(y!, steps!);
  close(hn!, end!);
});

test("two layers, both ways: each way walks what the layer below shows, the second from the end", () => {
  const [y, hn, made, ends] = valuesOf([
    INPUT,
    "m = nn.GRU(3, 4, num_layers=2, bidirectional=True, batch_first=True)",
    "y, hn = m(x.transpose(0, 1))",
    "def of(word, k):",
    '    return getattr(m, f"{word}_l{k // 2}" + ("_reverse" if k % 2 else ""))',
    "def walk(k, x, order):",
    "    h = torch.zeros(2, 4)",
    "    shown = [None] * 5",
    "    for t in order:",
    '        r, z, n = linear(x[t], of("weight_ih", k), of("bias_ih", k)).chunk(3, dim=-1)',
    '        hr, hz, hn = linear(h, of("weight_hh", k), of("bias_hh", k)).chunk(3, dim=-1)',
    "        z = torch.sigmoid(z + hz)",
    "        h = (1 - z) * torch.tanh(n + torch.sigmoid(r + hr) * hn) + z * h",
    "        shown[t] = h",
    "    return torch.stack(shown), h",
    "a, a_end = walk(0, x, [0, 1, 2, 3, 4])",
    "b, b_end = walk(1, x, [4, 3, 2, 1, 0])",
    "below = torch.cat([a, b], dim=-1)",
    "c, c_end = walk(2, below, [0, 1, 2, 3, 4])",
    "d, d_end = walk(3, below, [4, 3, 2, 1, 0])",
    "ends = torch.stack([a_end, b_end, c_end, d_end])",
    "return y, hn, torch.cat([c, d], dim=-1).transpose(0, 1), ends",
  ]);
  close(y!, made!);
  close(hn!, ends!);
});

test("one sequence alone has no axis for the batch", () => {
  const [alone, beside] = valuesOf([
    INPUT,
    "m = nn.LSTM(3, 4)",
    "y, (h, c) = m(x[:, 0])",
    "all, state = m(x)",
    "return y, all[:, 0]",
  ]);
  close(alone!, beside!);
});
