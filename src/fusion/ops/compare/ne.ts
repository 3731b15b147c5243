import { comparison } from "../families";

export const ne = comparison(
  {
    name: "ne",
    jax: ["ne"],
    aliases: ["not_equal"],
    doc: { formula: "a ≠ b", teaches: "The result is one bit of information; in memory WGSL uses four bytes for it." },
  },
  "!=",
  (a, b) => a !== b,
);
