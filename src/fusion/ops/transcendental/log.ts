import { UP } from "../algebra";
import { LOGARITHM, unary } from "../families";
import { LN } from "../wgsl-helpers";

export const log = unary({
  name: "log",
  onnx: "Log",
  jax: ["log"],
  doc: { formula: "ln x", teaches: "Monotone, so a maximum can be taken before it." },
  dtype: "float",
  weightedFlops: 8,
  work: 14,
  expensive: true,
  tolerance: LOGARITHM,
  derivative: { partials: ({ inputs: [x], of }) => [of("reciprocal", [x!])] },
  inverse: () => ({ op: "exp", of: ["result"] }),
  algebra: { monotone: [{ ...UP, where: "non-negative" }] },
  scalar: { js: Math.log, wgsl: (x, t) => t.call("ln", x), helpers: [...LN] },
});
