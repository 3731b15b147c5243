import { unary } from "../families";

export const neg = unary({
  name: "neg",
  aliases: ["negative"],
  doc: { formula: "−x", teaches: "A sign bit: the cheapest reason ever given for reading and writing a whole tensor." },
  derivative: { partials: () => [-1] },
  inverse: () => ({ op: "neg", of: ["result"] }),
  scalar: { js: (x) => -x, wgsl: (x) => `-${x}` },
});
