/** @file Chains of modules: however they are nested, they compute what their modules do one after the other. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";

/** A module by the number that it adds or multiplies with, or a chain of more. */
type Chain = number | readonly Chain[];

const { chain } = fc.letrec<{ chain: Chain }>((tie) => ({
  chain: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.integer({ min: 1, max: 9 }),
    fc.array(tie("chain"), { minLength: 1, maxLength: 3 }),
  ),
}));

const written = (of: Chain, made: "nn.Sequential" | "Own"): string =>
  typeof of === "number" ? `Step(${of})` : `${made}(${of.map((each) => written(each, made)).join(", ")})`;
const flat = (of: Chain): readonly number[] => (typeof of === "number" ? [of] : of.flatMap(flat));

const CLASSES = `class Step(nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by
        self.act = nn.ReLU()
    def forward(self, x):
        return self.act(x * 2 + self.by)
class Own(nn.Sequential):
    def __init__(self, *steps):
        super().__init__(*steps)
`;

test("a chain of chains is the chain of all their modules", () => {
  const law = fc.property(fc.array(chain, { minLength: 2, maxLength: 3 }), fc.boolean(), (all, own) => {
    const made = own ? "Own" : "nn.Sequential";
    const text = `${CLASSES}x: f32[1] = ones()\nm = ${written(all, made)}\ny = m(x)\ny += x\nreturn y\n`;
    expect(outputValues(text)[0]!.data).toEqual([flat(all).reduce((value, by) => value * 2 + by, 1) + 1]);
  });
  fc.assert(law, { numRuns: 60 });
});

test("a chain of plain layers, too", () => {
  const plain =
    "x: f32[2, 3]\nm = nn.Sequential(nn.Sequential(nn.ReLU(), nn.Tanh()), nn.Sequential(nn.Sigmoid(), nn.Tanh()))\nreturn m(x)\n";
  const flatly = "x: f32[2, 3]\nreturn tanh(sigmoid(tanh(relu(x))))\n";
  expect(outputValues(plain)[0]!.data).toEqual(outputValues(flatly)[0]!.data);
});
