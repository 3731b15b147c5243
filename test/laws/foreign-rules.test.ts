/** @file Rules that another compiler has under a name of its own are switched off one by one. */
import { expect, test } from "vitest";
import { compile, defaultOptions, passCatalogue, switchesOf } from "../../src/fusion";

/** A program in which the rules of that name act. */
const PROGRAMS: Readonly<Record<string, string>> = {
  ConstantFolding: "x: f32[8, 8]\ny = x * (ones(8, 8) * 3)\n",
  CommonSubexpressionElimination: "x: f32[8, 8]\na = exp(x)\nb = exp(x)\ny = a * b\n",
  EliminateIdentity: "x: f32[8, 8]\ny = exp(x) * 1\n",
  GeluFusion: "x: f32[8, 8]\ny = 0.5 * x * (1 + erf(x / 1.4142135))\n",
  BiasGeluFusion: "x: f32[8, 8]\nb: f32[8]\ny = gelu(x + b)\n",
  LayerNormFusion:
    "x: f32[8, 8]\nm = x.mean(dim=-1, keepdim=True)\nc = x - m\nv = (c ** 2).mean(dim=-1, keepdim=True)\ny = c / sqrt(v + 1e-5)\n",
  SimplifiedLayerNormFusion: "x: f32[8, 8]\ny = x * rsqrt((x ** 2).mean(dim=-1, keepdim=True) + 1e-5)\n",
  BiasDropoutFusion: "x: f32[8, 8]\nb: f32[8]\nr: f32[8, 8]\ny = dropout(x + b, p=0.1) + r\n",
  TransposeOptimizer: "x: f32[8, 16]\ny = relu(x.T).T\n",
  PadFusion: "x: f32[1, 1, 8, 8]\nw: f32[1, 1, 3, 3]\ny = conv2d(F.pad(x, (1, 1, 1, 1)), w)\n",
};

test.each(passCatalogue.flatMap((pass) => (pass.rules ?? []).map((rule) => [rule.name, pass.name, rule] as const)))(
  "%s is switched off alone",
  (name, pass, rule) => {
    const accepted = (disabledPasses: readonly string[]): readonly string[] =>
      compile(PROGRAMS[name]!, { ...defaultOptions, disabledPasses })
        .steps.filter((step) => step.accepted && step.pass === pass)
        .map((step) => step.rule);
    const off = accepted(switchesOf(pass, rule));
    expect(accepted([]).some((each) => rule.of.includes(each))).toBe(true);
    expect(off.filter((each) => rule.of.includes(each))).toEqual([]);
  },
);
