import { foldedBy } from "../derivatives";
import { reduction } from "../families";

export const l1Norm = reduction({
  name: "l1_norm",
  doc: { formula: "Σ |x|", teaches: "Grows linearly, so one outlier does not dominate." },
  dtype: "float",
  weightedFlops: 2,
  derivative: foldedBy(({ of }, x) => of("sign", [x])),
  reduce: {
    identity: () => 0,
    ofTwo: "add",
    ofEach: "abs",
    combine: { js: (a, b) => a + b, wgsl: (a, b) => `${a} + ${b}` },
    map: { js: Math.abs, wgsl: (x) => `abs(${x})` },
  },
});
