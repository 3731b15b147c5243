import { unary } from "../families";
import { boundedTanh } from "../wgsl";

const TOLERANCE = { rtol: 1e-6, atol: 1.5e-5, reason: "WGSL tanh is within 1e-5" };

export const tanh = unary({
  name: "tanh",
  doc: { formula: "tanh x", teaches: "Backward can use the output: the derivative is 1 − y²." },
  dtype: "float",
  flops: 8,
  expensive: true,
  tolerance: TOLERANCE,
  scalar: { js: Math.tanh, wgsl: boundedTanh },
});
