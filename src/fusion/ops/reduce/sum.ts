import { spread } from "../derivatives";
import { reduction } from "../families";

export const sum = reduction({
  name: "sum",
  doc: {
    formula: "Σ x",
    teaches: "The backward pass only broadcasts the gradient along the reduced axes, so nothing is saved.",
  },
  derivative: { vjp: spread },
  algebra: { linear: [[0]], nests: true },
  reduce: {
    identity: () => 0,
    ofTwo: "add",
    combine: { js: (a, b) => a + b, wgsl: (a, b) => `${a} + ${b}` },
  },
});
