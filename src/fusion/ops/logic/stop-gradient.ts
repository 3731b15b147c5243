import { UP_EXACT } from "../algebra";
import { EXACT, unary } from "../families";

export const stopGradient = unary({
  name: "stop_gradient",
  jax: ["stop_gradient"],
  aliases: ["detach"],
  doc: { formula: "x", teaches: "Passes the value and stops the gradient." },
  dtype: "same",
  weightedFlops: 0,
  tolerance: EXACT,
  derivative: {},
  algebra: { terms: [1], keepsZero: true, monotone: [UP_EXACT] },
  scalar: { js: (x) => x, wgsl: (x) => x },
});
