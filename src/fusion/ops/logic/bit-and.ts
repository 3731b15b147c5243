import { EXACT } from "../families";
import { bitwise } from "../bits";

export const bitAnd = bitwise(
  2,
  {
    name: "bit_and",
    aliases: ["bitwise_and"],
    doc: {
      formula: "a ∧ b, bit by bit",
      teaches: "Thirty-two decisions in one operation: masks packed into words are combined by it.",
    },
    tolerance: EXACT,
    derivative: {},
    scalar: { js: ([a, b]) => a! & b!, wgsl: ([a, b]) => `${a} & ${b}` },
  },
  true,
);
