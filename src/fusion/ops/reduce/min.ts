import { extremum } from "../derivatives";
import { EXACT, reduction } from "../families";
import { ABOVE_ALL } from "../limits";
import { scatteredExtremum } from "../scatter-derivatives";

export const min = reduction({
  name: "min",
  aliases: ["amin"],
  withTensor: "minimum",
  indices: "argmin",
  keeps: "truths",
  doc: { formula: "min x", teaches: "Chooses, never rounds: the same in every order." },
  tolerance: EXACT,
  derivative: scatteredExtremum("min", extremum),
  algebra: { nests: true },
  reduce: {
    picks: { which: "smallest", opposite: "max" },
    identity: ABOVE_ALL,
    ofTwo: "minimum",
    combine: { js: (a, b) => Math.min(a, b), wgsl: (a, b) => `min(${a}, ${b})` },
  },
});
