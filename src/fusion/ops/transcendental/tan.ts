import { unary } from "../families";
import { TANGENT } from "../wgsl-functions";

export const tan = unary({
  name: "tan",
  onnx: "Tan",
  jax: ["tan"],
  doc: { formula: "sin x / cos x", teaches: "Backward can use the output: the derivative is 1 + y²." },
  dtype: "float",
  weightedFlops: 16,
  work: 76,
  expensive: true,
  tolerance: { rtol: 1e-6, atol: 2e-7, reason: "a sine by a cosine, each within 1e-7" },
  derivative: { partials: ({ output, of }) => [of("add", [of("square", [output]), 1])] },
  scalar: { js: Math.tan, wgsl: (x, t) => t.call("tangent", x), helpers: TANGENT },
});
