/** @file Outlines of the small signs of an op's kind, 16 by 16. */
import type { Glyph } from "./ops";

export const glyphOutlines: Readonly<Record<Glyph, string>> = {
  elementwise: "M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0z",
  reduce: "M1.5 3h13L8 14z",
  scan: "M2 13.5h3.5V10H9V6.5h3.5V3H14",
  order: "M2 3.5h4M2 8h8M2 12.5h12",
  contraction: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  movement: "M5 3h9l-3 10H2z",
  gather: "M2.5 3h3M2.5 8h3M2.5 13h3M5.5 3l5 5M5.5 8h8M5.5 13l5-5",
  random: "M2.5 4.5a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2zM5.6 5.6h.01M10.4 10.4h.01M8 8h.01",
  input: "M2.5 2.5h6l5 5.5-5 5.5h-6z",
  output: "M2.5 2.5h6l5 5.5-5 5.5h-6z",
  folded: "M4 2h6.5a2 2 0 0 1 2 2M2 4.5h7.5a1 1 0 0 1 1 1V13a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z",
  opaque: "M3 7h10v7H3zM5 7V5a3 3 0 0 1 6 0v2",
};
