import { UP_EXACT } from "../algebra";
import { binary, EXACT } from "../families";
import { extremumOfTwo } from "../scatter-derivatives";

export const minimum = binary({
  name: "minimum",
  jax: ["min"],
  ofTruths: "and",
  updates: { methods: ["min"], reduction: "min" },
  doc: { formula: "min(a, b)", teaches: "It never rounds, so it is exact in every order of evaluation." },
  tolerance: EXACT,
  derivative: extremumOfTwo("min"),
  algebra: { monotone: [UP_EXACT, UP_EXACT] },
  scalar: { js: (a, b) => Math.min(a, b), wgsl: (a, b) => `min(${a}, ${b})` },
});
