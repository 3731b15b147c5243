import { unary } from "../families";

const ARC = { rtol: 5e-4, atol: 5e-4, reason: "WGSL allows atan and what follows from it 4096 ULP" };

export const acos = unary({
  name: "acos",
  doc: { formula: "arccos x", teaches: "Defined on [−1, 1] only; elsewhere it is NaN." },
  dtype: "float",
  flops: 12,
  expensive: true,
  tolerance: ARC,
  scalar: { js: Math.acos, wgsl: (x) => `acos(${x})` },
});
