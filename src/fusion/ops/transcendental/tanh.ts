import { UP } from "../algebra";
import { POLYNOMIAL, unary } from "../families";
import { TANH } from "../wgsl-functions";

export const tanh = unary({
  name: "tanh",
  onnx: "Tanh",
  jax: ["tanh"],
  activation: ["tanh"],
  doc: { formula: "tanh x", teaches: "Backward can use the output: the derivative is 1 − y²." },
  dtype: "float",
  weightedFlops: 8,
  work: 26,
  expensive: true,
  tolerance: POLYNOMIAL,
  derivative: { partials: ({ output, of }) => [of("sub", [1, of("square", [output])])] },
  algebra: { keepsZero: true, monotone: [UP] },
  scalar: { js: Math.tanh, wgsl: (x, t) => t.call("tanh_of", x), helpers: TANH },
});
