import { comparison } from "../families";

export const gt = comparison(
  {
    name: "gt",
    onnx: "Greater",
    jax: ["gt"],
    aliases: ["greater"],
    doc: {
      formula: "a > b",
      teaches: "Fused into its reader, a mask stays in a register; in memory it takes four bytes per element.",
    },
  },
  ">",
  (a, b) => a > b,
);
