import { UP } from "../algebra";
import { POLYNOMIAL, unary } from "../families";
import { ATAN } from "../wgsl-functions";

export const atan = unary({
  name: "atan",
  onnx: "Atan",
  jax: ["atan"],
  doc: { formula: "arctan x", teaches: "Backward needs no trigonometry: the derivative is 1 / (1 + x²)." },
  dtype: "float",
  weightedFlops: 12,
  work: 42,
  expensive: true,
  tolerance: POLYNOMIAL,
  derivative: { partials: ({ inputs: [x], of }) => [of("reciprocal", [of("add", [of("square", [x!]), 1])])] },
  algebra: { keepsZero: true, monotone: [UP] },
  scalar: { js: Math.atan, wgsl: (x, t) => t.call("atan_of", x), helpers: ATAN },
});
