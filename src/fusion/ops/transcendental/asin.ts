import { unary } from "../families";

const ARC = { rtol: 5e-4, atol: 5e-4, reason: "WGSL allows atan and what follows from it 4096 ULP" };

export const asin = unary({
  name: "asin",
  doc: { formula: "arcsin x", teaches: "Defined on [−1, 1] only; elsewhere it is NaN." },
  dtype: "float",
  flops: 12,
  expensive: true,
  tolerance: ARC,
  scalar: { js: Math.asin, wgsl: (x) => `asin(${x})` },
});
