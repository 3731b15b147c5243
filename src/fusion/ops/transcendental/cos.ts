import { TRIGONOMETRIC, unary } from "../families";
import { COSINE } from "../wgsl-functions";

export const cos = unary({
  name: "cos",
  onnx: "Cos",
  jax: ["cos"],
  doc: { formula: "cos x", teaches: "Backward needs the input: the derivative is −sin x." },
  dtype: "float",
  weightedFlops: 8,
  work: 44,
  expensive: true,
  tolerance: TRIGONOMETRIC,
  derivative: { partials: ({ inputs: [x], of }) => [of("neg", [of("sin", [x!])])] },
  scalar: { js: Math.cos, wgsl: (x, t) => t.call("cosine", x), helpers: COSINE },
});
