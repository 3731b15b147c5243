import { UP_EXACT } from "../algebra";
import { gated } from "../derivatives";
import { EXACT, unary } from "../families";

export const relu = unary({
  name: "relu",
  onnx: "Relu",
  activation: ["relu"],
  doc: {
    formula: "max(x, 0)",
    teaches:
      "Keeps positive values and sets the rest to 0. Backward needs only whether x was positive: one bit per element.",
  },
  tolerance: EXACT,
  derivative: gated(({ output, of }) => of("gt", [output, 0])),
  algebra: { idempotent: "non-negative", keepsZero: true, range: "non-negative", monotone: [UP_EXACT] },
  scalar: { js: (x) => Math.max(x, 0), wgsl: (x, t) => `max(${x}, ${t.num(0)})` },
});
