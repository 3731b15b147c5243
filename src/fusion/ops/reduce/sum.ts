import { spread } from "../derivatives";
import { reduction } from "../families";

export const sum = reduction({
  name: "sum",
  doc: { formula: "Σ x", teaches: "Backward only copies the gradient along the folded axes: nothing is kept." },
  derivative: { vjp: spread },
  reduce: {
    identity: () => 0,
    combine: { js: (a, b) => a + b, wgsl: (a, b) => `${a} + ${b}` },
  },
});
