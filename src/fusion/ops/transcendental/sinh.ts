import { UP } from "../algebra";
import { EXPONENTIAL, unary } from "../families";
import { SINH } from "../wgsl-functions";

export const sinh = unary({
  name: "sinh",
  onnx: "Sinh",
  jax: ["sinh"],
  doc: { formula: "(eˣ − e⁻ˣ) / 2", teaches: "Grows like eˣ: an f32 overflows beyond 89." },
  dtype: "float",
  weightedFlops: 16,
  work: 31,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: { partials: ({ inputs: [x], of }) => [of("cosh", [x!])] },
  algebra: { keepsZero: true, monotone: [UP] },
  scalar: { js: Math.sinh, wgsl: (x, t) => t.call("sinh_of", x), helpers: SINH },
});
