import { comparison } from "../families";

export const lt = comparison(
  {
    name: "lt",
    onnx: "Less",
    jax: ["lt"],
    aliases: ["less"],
    doc: {
      formula: "a < b",
      teaches: "Fused into its reader, a mask stays in a register; in memory it takes four bytes per element.",
    },
  },
  "<",
  (a, b) => a < b,
);
