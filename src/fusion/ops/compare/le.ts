import { comparison } from "../families";

export const le = comparison(
  {
    name: "le",
    aliases: ["less_equal"],
    doc: { formula: "a ≤ b", teaches: "Fused into its reader, a mask is a register and never four bytes an element." },
  },
  "<=",
  (a, b) => a <= b,
);
