import { UP_EXACT } from "../algebra";
import { EXACT, unary } from "../families";

export const identity = unary({
  name: "identity",
  aliases: ["clone", "contiguous"],
  doc: { formula: "x", teaches: "Another name for the same value; it is removed before planning." },
  dtype: "same",
  weightedFlops: 0,
  tolerance: EXACT,
  derivative: { partials: () => [1] },
  algebra: { sameValue: true, terms: [1], keepsZero: true, monotone: [UP_EXACT] },
  scalar: { js: (x) => x, wgsl: (x) => x },
});
