import { unary } from "../families";

export const not = unary({
  name: "not",
  onnx: "Not",
  aliases: ["logical_not"],
  doc: { formula: "¬x", teaches: "True where x is 0." },
  dtype: "logic",
  algebra: { involution: true },
  scalar: { js: (x) => Number(x === 0), wgsl: (x) => `!${x}` },
});
