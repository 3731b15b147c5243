import { UP } from "../algebra";
import { EXPONENTIAL, unary } from "../families";

export const exp = unary({
  name: "exp",
  onnx: "Exp",
  jax: ["exp"],
  doc: { formula: "eˣ", teaches: "Backward is the output itself: the derivative of exp is exp." },
  dtype: "float",
  weightedFlops: 8,
  work: 11,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: { partials: ({ output }) => [output] },
  inverse: () => ({ op: "log", of: ["result"] }),
  algebra: { exponential: true, range: "positive", monotone: [UP] },
  scalar: { js: Math.exp, wgsl: (x) => `exp(${x})` },
});
