import { comparison } from "../families";

export const ge = comparison(
  {
    name: "ge",
    onnx: "GreaterOrEqual",
    jax: ["ge"],
    aliases: ["greater_equal"],
    doc: {
      formula: "a ≥ b",
      teaches: "Fused into its reader, a mask stays in a register; in memory it takes four bytes per element.",
    },
  },
  ">=",
  (a, b) => a >= b,
);
