import { unary } from "../families";
import { floatLiteral } from "../wgsl";

const TOLERANCE = { rtol: 1e-6, atol: 3e-6, reason: "the sum cancels near -3" };

export const hardSwish = unary({
  name: "hard_swish",
  onnx: "HardSwish",
  aliases: ["hardswish", "hard_silu"],
  doc: { formula: "x · hard_sigmoid(x)", teaches: "A swish for machines without a cheap exponential." },
  dtype: "float",
  weightedFlops: 5,
  tolerance: TOLERANCE,
  derivative: {
    partials: ({ inputs: [x], of }) => [
      of("where", [of("lt", [x!, -3]), 0, of("where", [of("gt", [x!, 3]), 1, of("add", [of("div", [x!, 3]), 0.5])])]),
    ],
  },
  scalar: {
    js: (x) => x * Math.min(Math.max(x / 6 + 0.5, 0), 1),
    wgsl: (x, t) => `${x} * clamp(${x} * ${floatLiteral(1 / 6)} + 0.5, ${t.num(0)}, ${t.num(1)})`,
  },
});
