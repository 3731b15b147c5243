import { DOWN_EXACT } from "../algebra";
import { unary } from "../families";

export const neg = unary({
  name: "neg",
  onnx: "Neg",
  jax: ["neg"],
  aliases: ["negative"],
  doc: { formula: "−x", teaches: "Flips one sign bit per element. On its own, its kernel only moves memory." },
  derivative: { partials: () => [-1] },
  inverse: () => ({ op: "neg", of: ["result"] }),
  algebra: { terms: [-1], involution: true, keepsZero: true, monotone: [DOWN_EXACT] },
  scalar: { js: (x) => -x, wgsl: (x) => `-${x}` },
});
