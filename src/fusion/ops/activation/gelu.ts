import type { Slope, DerivativeContext } from "../define";
import type { Attrs } from "../../ir";
import { unary } from "../families";
import { erf } from "../special";
import { floatLiteral } from "../wgsl";
import { ERF, TANH } from "../wgsl-functions";

const TOLERANCE = { rtol: 2e-6, atol: 2e-6, reason: "for negative x, 1 + erf cancels to the roundings of 1" };
const ROOT = Math.sqrt(2 / Math.PI);
const isTanh = (attrs: Attrs): boolean => attrs["approximate"] === "tanh";

/** Φ(x) + x φ(x), or the same of the form with tanh. */
function slopeOfGelu({ inputs: [x], attrs, of }: DerivativeContext): readonly Slope[] {
  if (!isTanh(attrs)) {
    const share = of("mul", [of("add", [of("erf", [of("mul", [x!, Math.SQRT1_2])]), 1]), 0.5]);
    const bell = of("mul", [of("exp", [of("mul", [of("square", [x!]), -0.5])]), 1 / Math.sqrt(2 * Math.PI)]);
    return [of("add", [share, of("mul", [x!, bell])])];
  }
  const square = of("square", [x!]);
  const inner = of("mul", [of("mul", [x!, of("add", [of("mul", [square, 0.044715]), 1])]), ROOT]);
  const bend = of("tanh", [inner]);
  const rise = of("mul", [of("add", [of("mul", [square, 3 * 0.044715]), 1]), 0.5 * ROOT]);
  const tail = of("mul", [of("mul", [x!, of("sub", [1, of("square", [bend])])]), rise]);
  return [of("add", [of("mul", [of("add", [bend, 1]), 0.5]), tail])];
}

export const gelu = unary({
  name: "gelu",
  floatsInTorch: true,
  jaxDefaults: { approximate: "tanh" },
  activation: ["gelu"],
  doc: {
    formula: "x · Φ(x)",
    teaches:
      "A smooth ReLU: x times the part of a normal distribution that lies below x. Written out, it is eight ops.",
  },
  attrs: [
    {
      names: ["approximate"],
      kind: "string",
      default: "none",
      bools: ["none", "tanh"],
      doc: "none: by erf. tanh: by tanh.",
    },
  ],
  dtype: "float",
  weightedFlops: 20,
  work: 47,
  expensive: true,
  tolerance: TOLERANCE,
  derivative: { partials: slopeOfGelu },
  scalar: {
    js: (x, attrs) =>
      0.5 * x * (1 + (isTanh(attrs) ? Math.tanh(ROOT * (x + 0.044715 * x * x * x)) : erf(x * Math.SQRT1_2))),
    wgsl(x, t, attrs) {
      const bell = isTanh(attrs)
        ? t.call("tanh_of", `${floatLiteral(ROOT)} * (${x} + ${floatLiteral(0.044715)} * ${x} * ${x} * ${x})`)
        : t.call("erf", `${floatLiteral(Math.SQRT1_2)} * ${x}`);
      return `0.5 * ${x} * (1.0 + ${bell})`;
    },
    helpers: [...ERF, ...TANH],
  },
});
