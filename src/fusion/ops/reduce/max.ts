import { extremum } from "../derivatives";
import { EXACT, reduction } from "../families";
import { BELOW_ALL } from "../limits";
import { scatteredExtremum } from "../scatter-derivatives";

export const max = reduction({
  name: "max",
  aliases: ["amax"],
  withTensor: "maximum",
  indices: "argmax",
  keeps: "truths",
  doc: { formula: "max x", teaches: "Chooses, never rounds: the same in every order." },
  tolerance: EXACT,
  derivative: scatteredExtremum("max", extremum),
  algebra: { nests: true },
  reduce: {
    picks: { which: "largest", opposite: "min" },
    identity: BELOW_ALL,
    ofTwo: "maximum",
    combine: { js: (a, b) => Math.max(a, b), wgsl: (a, b) => `max(${a}, ${b})` },
  },
});
