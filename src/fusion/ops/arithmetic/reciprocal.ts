import { DOWN } from "../algebra";
import { DIVIDED, unary } from "../families";

export const reciprocal = unary({
  name: "reciprocal",
  onnx: "Reciprocal",
  doc: { formula: "1 / x", teaches: "Backward can use the output: the derivative is −y²." },
  dtype: "float",
  weightedFlops: 4,
  work: 9,
  expensive: true,
  tolerance: DIVIDED,
  derivative: { partials: ({ output, of }) => [of("neg", [of("square", [output])])] },
  inverse: () => ({ op: "reciprocal", of: ["result"] }),
  algebra: { powers: [-1], monotone: [{ ...DOWN, where: "positive" }] },
  scalar: { js: (x) => 1 / x, wgsl: (x) => `1.0 / ${x}` },
});
