import { POLYNOMIAL, unary } from "../families";
import { ASIN } from "../wgsl-functions";

export const asin = unary({
  name: "asin",
  onnx: "Asin",
  jax: ["asin"],
  doc: { formula: "arcsin x", teaches: "Defined on [−1, 1] only; elsewhere it is NaN." },
  dtype: "float",
  weightedFlops: 12,
  work: 38,
  expensive: true,
  tolerance: POLYNOMIAL,
  derivative: { partials: ({ inputs: [x], of }) => [of("rsqrt", [of("sub", [1, of("square", [x!])])])] },
  algebra: { keepsZero: true },
  scalar: { js: Math.asin, wgsl: (x, t) => t.call("asin_of", x), helpers: ASIN },
});
