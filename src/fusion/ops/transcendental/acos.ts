import { POLYNOMIAL, unary } from "../families";
import { ACOS } from "../wgsl-functions";

export const acos = unary({
  name: "acos",
  onnx: "Acos",
  jax: ["acos"],
  doc: { formula: "arccos x", teaches: "Defined on [−1, 1] only; elsewhere it is NaN." },
  dtype: "float",
  weightedFlops: 12,
  work: 28,
  expensive: true,
  tolerance: POLYNOMIAL,
  derivative: { partials: ({ inputs: [x], of }) => [of("neg", [of("rsqrt", [of("sub", [1, of("square", [x!])])])])] },
  scalar: { js: Math.acos, wgsl: (x, t) => t.call("acos_of", x), helpers: ACOS },
});
