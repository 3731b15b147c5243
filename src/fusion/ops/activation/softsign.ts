import { UP } from "../algebra";
import { DIVIDED, unary } from "../families";

export const softsign = unary({
  name: "softsign",
  onnx: "Softsign",
  doc: { formula: "x / (1 + |x|)", teaches: "A sigmoid without an exponential." },
  dtype: "float",
  weightedFlops: 6,
  expensive: true,
  tolerance: DIVIDED,
  derivative: {
    partials: ({ inputs: [x], of }) => [of("reciprocal", [of("square", [of("add", [of("abs", [x!]), 1])])])],
  },
  algebra: { keepsZero: true, monotone: [UP] },
  scalar: {
    js: (x) => x / (1 + Math.abs(x)),
    wgsl: (x) => `${x} / (1.0 + abs(${x}))`,
  },
});
