import { UP } from "../algebra";
import { LOGARITHM, unary } from "../families";
import { LB } from "../wgsl-helpers";

export const log2 = unary({
  name: "log2",
  doc: { formula: "log₂ x", teaches: "GPUs compute log as a scaled log2." },
  dtype: "float",
  weightedFlops: 8,
  work: 14,
  expensive: true,
  tolerance: LOGARITHM,
  derivative: { partials: ({ inputs: [x], of }) => [of("reciprocal", [of("mul", [x!, Math.LN2])])] },
  inverse: () => ({ op: "exp2", of: ["result"] }),
  algebra: { monotone: [{ ...UP, where: "non-negative" }] },
  scalar: { js: Math.log2, wgsl: (x, t) => t.call("lb", x), helpers: [...LB] },
});
