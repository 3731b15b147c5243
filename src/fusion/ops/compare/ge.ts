import { comparison } from "../families";

export const ge = comparison(
  {
    name: "ge",
    aliases: ["greater_equal"],
    doc: { formula: "a ≥ b", teaches: "Fused into its reader, a mask is a register and never four bytes an element." },
  },
  ">=",
  (a, b) => a >= b,
);
