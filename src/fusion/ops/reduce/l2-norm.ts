import { foldedBy, spread } from "../derivatives";
import { DIVIDED, reduction } from "../families";

export const l2Norm = reduction({
  name: "l2_norm",
  doc: { formula: "√Σ x²", teaches: "A sum of squares with one root at the end." },
  dtype: "float",
  weightedFlops: 2,
  tolerance: DIVIDED,
  derivative: foldedBy((context, x) => {
    // Where everything is 0, PyTorch's gradient is 0, too.
    const least = context.typeOf(context.output).dtype === "f16" ? 6e-8 : 1e-30;
    return context.of("div", [x, spread(context, context.of("maximum", [context.output, least]))]);
  }),
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
