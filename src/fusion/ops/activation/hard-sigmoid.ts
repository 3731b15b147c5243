import { UP_EXACT } from "../algebra";
import { unary } from "../families";
import { floatLiteral } from "../wgsl";

const TOLERANCE = { rtol: 1e-6, atol: 1e-6, reason: "the sum cancels near -3" };

export const hardSigmoid = unary({
  name: "hard_sigmoid",
  aliases: ["hardsigmoid"],
  doc: { formula: "min(max(x/6 + 1/2, 0), 1)", teaches: "A sigmoid for machines without a cheap exponential." },
  dtype: "float",
  weightedFlops: 4,
  tolerance: TOLERANCE,
  derivative: { partials: ({ inputs: [x], of }) => [of("where", [of("lt", [of("abs", [x!]), 3]), 1 / 6, 0])] },
  algebra: { monotone: [UP_EXACT] },
  scalar: {
    js: (x) => Math.min(Math.max(x / 6 + 0.5, 0), 1),
    wgsl: (x, t) => `clamp(${x} * ${floatLiteral(1 / 6)} + 0.5, ${t.num(0)}, ${t.num(1)})`,
  },
});
