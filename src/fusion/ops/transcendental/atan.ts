import { POLYNOMIAL, unary } from "../families";
import { ATAN } from "../wgsl-functions";

export const atan = unary({
  name: "atan",
  doc: { formula: "arctan x", teaches: "Backward needs no trigonometry: the derivative is 1 / (1 + x²)." },
  dtype: "float",
  flops: 12,
  expensive: true,
  tolerance: POLYNOMIAL,
  scalar: { js: Math.atan, wgsl: (x, t) => t.call("atan_of", x), helpers: ATAN },
});
