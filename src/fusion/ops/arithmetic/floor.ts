import { UP_EXACT } from "../algebra";
import { unary } from "../families";
import { isInteger } from "../wgsl";

export const floor = unary({
  name: "floor",
  onnx: "Floor",
  jax: ["floor"],
  doc: { formula: "⌊x⌋", teaches: "A monotone step function, so a maximum can be taken before it." },
  work: 9,
  derivative: {},
  algebra: { idempotent: "rounded", keepsZero: true, monotone: [UP_EXACT] },
  scalar: { js: Math.floor, wgsl: (x, t) => (isInteger(t) ? x : `floor(${x})`) },
});
