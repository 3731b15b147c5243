import { TRIGONOMETRIC, unary } from "../families";

export const sin = unary({
  name: "sin",
  doc: { formula: "sin x", teaches: "Backward needs the input: the derivative is cos x." },
  dtype: "float",
  flops: 8,
  expensive: true,
  tolerance: TRIGONOMETRIC,
  scalar: { js: Math.sin, wgsl: (x) => `sin(${x})` },
});
