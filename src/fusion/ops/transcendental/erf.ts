import { unary } from "../families";
import { erfHelper } from "../wgsl-helpers";
import { erf as erfOf } from "../special";

const TOLERANCE = { rtol: 1e-6, atol: 1e-6, reason: "a polynomial within 1.5e-7 (Abramowitz and Stegun 7.1.26)" };

export const erf = unary({
  name: "erf",
  doc: {
    formula: "2/√π ∫ e^(−t²) dt",
    teaches: "The exact GELU is built on it. WGSL has none, so it is a polynomial here.",
  },
  dtype: "float",
  flops: 12,
  expensive: true,
  tolerance: TOLERANCE,
  scalar: { js: erfOf, wgsl: (x, t) => t.call("erf", x), helpers: [erfHelper] },
});
