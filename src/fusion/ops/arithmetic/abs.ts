import { unary } from "../families";

export const abs = unary({
  name: "abs",
  onnx: "Abs",
  jax: ["abs"],
  aliases: ["absolute"],
  doc: { formula: "|x|", teaches: "Clears the sign bit. The backward pass needs only the sign of x." },
  derivative: { partials: ({ inputs: [x], of }) => [of("sign", [x!])] },
  algebra: { idempotent: "non-negative", keepsZero: true, range: "non-negative" },
  scalar: { js: Math.abs, wgsl: (x) => `abs(${x})` },
});
