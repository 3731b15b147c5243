import { EXACT, unary } from "../families";

export const identity = unary({
  name: "identity",
  aliases: ["clone", "contiguous"],
  doc: { formula: "x", teaches: "Another name for the same value; it is removed before planning." },
  dtype: "same",
  flops: 0,
  tolerance: EXACT,
  derivative: { partials: () => [1] },
  scalar: { js: (x) => x, wgsl: (x) => x },
});
