import { UP_EXACT } from "../algebra";
import { unary } from "../families";
import { isInteger } from "../wgsl";

export const ceil = unary({
  name: "ceil",
  onnx: "Ceil",
  jax: ["ceil"],
  doc: { formula: "⌈x⌉", teaches: "A monotone step function, so a maximum can be taken before it." },
  work: 9,
  derivative: {},
  algebra: { idempotent: "rounded", keepsZero: true, monotone: [UP_EXACT] },
  scalar: { js: Math.ceil, wgsl: (x, t) => (isInteger(t) ? x : `ceil(${x})`) },
});
