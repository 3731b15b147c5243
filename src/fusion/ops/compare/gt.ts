import { comparison } from "../families";

export const gt = comparison(
  {
    name: "gt",
    aliases: ["greater"],
    doc: { formula: "a > b", teaches: "Fused into its reader, a mask is a register and never four bytes an element." },
  },
  ">",
  (a, b) => a > b,
);
