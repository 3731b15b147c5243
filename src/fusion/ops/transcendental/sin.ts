import { TRIGONOMETRIC, unary } from "../families";
import { SINE } from "../wgsl-functions";

export const sin = unary({
  name: "sin",
  onnx: "Sin",
  jax: ["sin"],
  doc: { formula: "sin x", teaches: "Backward needs the input: the derivative is cos x." },
  dtype: "float",
  weightedFlops: 8,
  work: 43,
  expensive: true,
  tolerance: TRIGONOMETRIC,
  derivative: { partials: ({ inputs: [x], of }) => [of("cos", [x!])] },
  scalar: { js: Math.sin, wgsl: (x, t) => t.call("sine", x), helpers: SINE },
});
