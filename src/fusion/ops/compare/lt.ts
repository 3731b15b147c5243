import { comparison } from "../families";

export const lt = comparison(
  {
    name: "lt",
    aliases: ["less"],
    doc: { formula: "a < b", teaches: "Fused into its reader, a mask is a register and never four bytes an element." },
  },
  "<",
  (a, b) => a < b,
);
