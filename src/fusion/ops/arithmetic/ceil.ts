import { unary } from "../families";
import { isInteger } from "../wgsl";

export const ceil = unary({
  name: "ceil",
  doc: { formula: "⌈x⌉", teaches: "A step function: it never decreases, so a maximum may be taken before it." },
  derivative: {},
  scalar: { js: Math.ceil, wgsl: (x, t) => (isInteger(t) ? x : `ceil(${x})`) },
});
