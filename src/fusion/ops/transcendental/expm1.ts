import { UP } from "../algebra";
import { EXPONENTIAL, unary } from "../families";
import { expm1Helper } from "../wgsl-helpers";

export const expm1 = unary({
  name: "expm1",
  jax: ["expm1"],
  doc: { formula: "eˣ − 1", teaches: "Written out as exp(x) − 1 it loses every digit near 0." },
  dtype: "float",
  weightedFlops: 12,
  work: 29,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: { partials: ({ output, of }) => [of("add", [output, 1])] },
  inverse: () => ({ op: "log1p", of: ["result"] }),
  algebra: { keepsZero: true, monotone: [UP] },
  scalar: { js: Math.expm1, wgsl: (x, t) => t.call("expm1", x), helpers: [expm1Helper] },
});
