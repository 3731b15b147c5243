import { comparison } from "../families";

export const le = comparison(
  {
    name: "le",
    onnx: "LessOrEqual",
    jax: ["le"],
    aliases: ["less_equal"],
    doc: {
      formula: "a ≤ b",
      teaches: "Fused into its reader, a mask stays in a register; in memory it takes four bytes per element.",
    },
  },
  "<=",
  (a, b) => a <= b,
);
