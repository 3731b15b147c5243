import { UP } from "../algebra";
import { LOGARITHM, unary } from "../families";
import { LOG1P } from "../wgsl-helpers";

export const log1p = unary({
  name: "log1p",
  jax: ["log1p"],
  doc: { formula: "ln(1 + x)", teaches: "Exact near 0, where 1 + x would already have rounded x away." },
  dtype: "float",
  weightedFlops: 12,
  work: 30,
  expensive: true,
  tolerance: LOGARITHM,
  derivative: { partials: ({ inputs: [x], of }) => [of("reciprocal", [of("add", [x!, 1])])] },
  inverse: () => ({ op: "expm1", of: ["result"] }),
  algebra: { keepsZero: true, monotone: [{ ...UP, where: "non-negative" }] },
  scalar: { js: Math.log1p, wgsl: (x, t) => t.call("log1p", x), helpers: [...LOG1P] },
});
