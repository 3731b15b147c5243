import { UP_EXACT } from "../algebra";
import { share } from "../derivatives";
import { binary, EXACT } from "../families";

export const minimum = binary({
  name: "minimum",
  jax: ["min"],
  updates: { methods: ["min"], reduction: "min" },
  doc: { formula: "min(a, b)", teaches: "It never rounds, so it is exact in every order of evaluation." },
  tolerance: EXACT,
  derivative: { partials: ({ inputs: [a, b], of }) => [share(of, "lt", a!, b!), share(of, "gt", a!, b!)] },
  algebra: { monotone: [UP_EXACT, UP_EXACT] },
  scalar: { js: (a, b) => Math.min(a, b), wgsl: (a, b) => `min(${a}, ${b})` },
});
