import { unary } from "../families";

const TANGENT = { rtol: 1e-3, atol: 1e-3, reason: "WGSL tan is sin / cos, each within 2^-11" };

export const tan = unary({
  name: "tan",
  doc: { formula: "sin x / cos x", teaches: "Backward can use the output: the derivative is 1 + y²." },
  dtype: "float",
  flops: 16,
  expensive: true,
  tolerance: TANGENT,
  scalar: { js: Math.tan, wgsl: (x) => `tan(${x})` },
});
