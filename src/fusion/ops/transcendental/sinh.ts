import { unary } from "../families";

const HYPERBOLIC = { rtol: 1e-5, atol: 1e-6, reason: "the difference of two exponentials cancels near 0" };

export const sinh = unary({
  name: "sinh",
  doc: { formula: "(eˣ − e⁻ˣ) / 2", teaches: "Grows like eˣ: an f32 overflows beyond 89." },
  dtype: "float",
  flops: 16,
  expensive: true,
  tolerance: HYPERBOLIC,
  scalar: { js: Math.sinh, wgsl: (x) => `sinh(${x})` },
});
