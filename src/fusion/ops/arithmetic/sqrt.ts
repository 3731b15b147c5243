import { UP_EXACT } from "../algebra";
import { DIVIDED, unary } from "../families";

export const sqrt = unary({
  name: "sqrt",
  onnx: "Sqrt",
  jax: ["sqrt"],
  doc: { formula: "√x", teaches: "Backward can use the output: the derivative is 1 / (2y)." },
  dtype: "float",
  weightedFlops: 4,
  work: 11,
  expensive: true,
  tolerance: DIVIDED,
  derivative: { partials: ({ output, of }) => [of("div", [0.5, output])] },
  inverse: () => ({ op: "square", of: ["result"] }),
  algebra: {
    powers: [0.5],
    keepsZero: true,
    range: "non-negative",
    monotone: [{ ...UP_EXACT, where: "non-negative" }],
  },
  scalar: { js: Math.sqrt, wgsl: (x) => `sqrt(${x})` },
});
