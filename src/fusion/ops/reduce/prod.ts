import { foldedBy, othersProduct } from "../derivatives";
import { reduction } from "../families";
import { scatteredProduct } from "../scatter-derivatives";

export const prod = reduction({
  name: "prod",
  doc: { formula: "Π x", teaches: "Overflows sooner than a sum; a sum of logarithms avoids that." },
  derivative: scatteredProduct(foldedBy(othersProduct)),
  algebra: { nests: true },
  reduce: {
    identity: () => 1,
    ofTwo: "mul",
    combine: { js: (a, b) => a * b, wgsl: (a, b) => `${a} * ${b}` },
  },
});
