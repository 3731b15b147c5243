import { foldedBy } from "../derivatives";
import { reduction } from "../families";

export const sumSquare = reduction({
  name: "sum_square",
  doc: { formula: "Σ x²", teaches: "The squares stay in registers and are never stored." },
  weightedFlops: 2,
  derivative: foldedBy(({ of }, x) => of("mul", [x, 2])),
  reduce: {
    identity: () => 0,
    ofTwo: "add",
    ofEach: "square",
    combine: { js: (a, b) => a + b, wgsl: (a, b) => `${a} + ${b}` },
    map: { js: (x) => x * x, wgsl: (x) => `${x} * ${x}` },
  },
});
