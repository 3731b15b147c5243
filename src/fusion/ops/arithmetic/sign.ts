import { UP_EXACT } from "../algebra";
import { unary } from "../families";

export const sign = unary({
  name: "sign",
  onnx: "Sign",
  jax: ["sign"],
  aliases: ["sgn"],
  keeps: "truths",
  doc: { formula: "sign(x)", teaches: "Its derivative is 0 wherever it exists, so the gradient stops here." },
  work: 15,
  derivative: {},
  algebra: { idempotent: "a sign", keepsZero: true, monotone: [UP_EXACT] },
  scalar: { js: Math.sign, wgsl: (x) => `sign(${x})` },
});
