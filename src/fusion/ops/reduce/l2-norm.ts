import { foldedBy, spread } from "../derivatives";
import { DIVIDED, reduction } from "../families";

export const l2Norm = reduction({
  name: "l2_norm",
  doc: { formula: "√Σ x²", teaches: "A sum of squares with one root at the end." },
  dtype: "float",
  flops: 2,
  tolerance: DIVIDED,
  derivative: foldedBy((context, x) => context.of("div", [x, spread(context, context.output)])),
  reduce: {
    identity: () => 0,
    ofTwo: "add",
    ofEach: "square",
    ofResult: "sqrt",
    combine: { js: (a, b) => a + b, wgsl: (a, b) => `${a} + ${b}` },
    map: { js: (x) => x * x, wgsl: (x) => `${x} * ${x}` },
    finish: { js: (x) => Math.sqrt(x), text: (x) => `sqrt(${x})`, wgsl: (x) => `sqrt(${x})` },
  },
});
