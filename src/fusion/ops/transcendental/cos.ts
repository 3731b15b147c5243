import { TRIGONOMETRIC, unary } from "../families";

export const cos = unary({
  name: "cos",
  doc: { formula: "cos x", teaches: "Backward needs the input: the derivative is −sin x." },
  dtype: "float",
  flops: 8,
  expensive: true,
  tolerance: TRIGONOMETRIC,
  scalar: { js: Math.cos, wgsl: (x) => `cos(${x})` },
});
