import { UP_EXACT } from "../algebra";
import { share } from "../derivatives";
import { binary, EXACT } from "../families";

export const maximum = binary({
  name: "maximum",
  jax: ["max"],
  updates: { methods: ["max"], reduction: "max" },
  doc: { formula: "max(a, b)", teaches: "It never rounds, so it is exact in every order of evaluation." },
  tolerance: EXACT,
  derivative: { partials: ({ inputs: [a, b], of }) => [share(of, "gt", a!, b!), share(of, "lt", a!, b!)] },
  algebra: { monotone: [UP_EXACT, UP_EXACT] },
  scalar: { js: (a, b) => Math.max(a, b), wgsl: (a, b) => `max(${a}, ${b})` },
});
