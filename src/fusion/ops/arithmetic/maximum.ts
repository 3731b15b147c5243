import { UP_EXACT } from "../algebra";
import { binary, EXACT } from "../families";
import { extremumOfTwo } from "../scatter-derivatives";

export const maximum = binary({
  name: "maximum",
  jax: ["max"],
  ofTruths: "or",
  updates: { methods: ["max"], reduction: "max" },
  doc: { formula: "max(a, b)", teaches: "It never rounds, so it is exact in every order of evaluation." },
  tolerance: EXACT,
  derivative: extremumOfTwo("max"),
  algebra: { monotone: [UP_EXACT, UP_EXACT] },
  scalar: { js: (a, b) => Math.max(a, b), wgsl: (a, b) => `max(${a}, ${b})` },
});
