import { unary } from "../families";

export const neg = unary({
  name: "neg",
  aliases: ["negative"],
  doc: { formula: "−x", teaches: "Flips one sign bit per element. On its own, its kernel only moves memory." },
  derivative: { partials: () => [-1] },
  inverse: () => ({ op: "neg", of: ["result"] }),
  scalar: { js: (x) => -x, wgsl: (x) => `-${x}` },
});
