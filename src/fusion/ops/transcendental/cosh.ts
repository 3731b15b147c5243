import { EXPONENTIAL, unary } from "../families";
import { COSH } from "../wgsl-functions";

export const cosh = unary({
  name: "cosh",
  onnx: "Cosh",
  jax: ["cosh"],
  doc: { formula: "(eˣ + e⁻ˣ) / 2", teaches: "Grows like e^|x|: an f32 overflows beyond 89." },
  dtype: "float",
  weightedFlops: 16,
  work: 21,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: { partials: ({ inputs: [x], of }) => [of("sinh", [x!])] },
  scalar: { js: Math.cosh, wgsl: (x, t) => t.call("cosh_of", x), helpers: COSH },
});
