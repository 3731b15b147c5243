import { UP } from "../algebra";
import { POLYNOMIAL, unary } from "../families";
import { ERF } from "../wgsl-functions";
import { erf as erfOf } from "../special";

export const erf = unary({
  name: "erf",
  onnx: "Erf",
  jax: ["erf"],
  doc: {
    formula: "2/√π ∫ e^(−t²) dt",
    teaches: "The exact GELU is built on it. WGSL has none, so it is a polynomial here.",
  },
  dtype: "float",
  weightedFlops: 12,
  work: 42,
  expensive: true,
  tolerance: POLYNOMIAL,
  derivative: {
    partials: ({ inputs: [x], of }) => [
      of("mul", [of("exp", [of("neg", [of("square", [x!])])]), 2 / Math.sqrt(Math.PI)]),
    ],
  },
  algebra: { keepsZero: true, monotone: [UP] },
  scalar: { js: erfOf, wgsl: (x, t) => t.call("erf", x), helpers: ERF },
});
