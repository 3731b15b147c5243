import { UP } from "../algebra";
import { EXPONENTIAL, unary } from "../families";

export const sigmoid = unary({
  name: "sigmoid",
  onnx: "Sigmoid",
  jax: ["logistic"],
  aliases: ["expit", "logistic"],
  activation: ["sigmoid"],
  doc: { formula: "1 / (1 + e⁻ˣ)", teaches: "Backward can use the output: the derivative is y(1 − y)." },
  dtype: "float",
  weightedFlops: 13,
  work: 23,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: { partials: ({ output: y, of }) => [of("mul", [y, of("sub", [1, y])])] },
  algebra: { range: "positive", monotone: [UP] },
  scalar: { js: (x) => 1 / (1 + Math.exp(-x)), wgsl: (x) => `1.0 / (1.0 + exp(-${x}))` },
});
