import { unary } from "../families";

const ARC = { rtol: 5e-4, atol: 5e-4, reason: "WGSL allows atan and what follows from it 4096 ULP" };

export const atan = unary({
  name: "atan",
  doc: { formula: "arctan x", teaches: "Backward needs no trigonometry: the derivative is 1 / (1 + x²)." },
  dtype: "float",
  flops: 12,
  expensive: true,
  tolerance: ARC,
  scalar: { js: Math.atan, wgsl: (x) => `atan(${x})` },
});
