import { comparison } from "../families";

export const eq = comparison(
  {
    name: "eq",
    onnx: "Equal",
    jax: ["eq"],
    doc: { formula: "a = b", teaches: "The result is one bit of information; in memory WGSL uses four bytes for it." },
  },
  "==",
  (a, b) => a === b,
);
