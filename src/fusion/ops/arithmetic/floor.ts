import { unary } from "../families";
import { isInteger } from "../wgsl";

export const floor = unary({
  name: "floor",
  doc: { formula: "⌊x⌋", teaches: "A monotone step function, so a maximum can be taken before it." },
  derivative: {},
  scalar: { js: Math.floor, wgsl: (x, t) => (isInteger(t) ? x : `floor(${x})`) },
});
