import { unary } from "../families";
import { isInteger } from "../wgsl";

export const floor = unary({
  name: "floor",
  doc: { formula: "⌊x⌋", teaches: "A step function: it never decreases, so a maximum may be taken before it." },
  derivative: {},
  scalar: { js: Math.floor, wgsl: (x, t) => (isInteger(t) ? x : `floor(${x})`) },
});
