import { EXACT } from "../families";
import { bitwise } from "../bits";

export const bitAnd = bitwise(
  2,
  {
    name: "bit_and",
    onnx: "BitwiseAnd",
    aliases: ["bitwise_and"],
    doc: {
      formula: "a ∧ b, bit by bit",
      teaches: "Combines 32 packed mask bits in one operation.",
    },
    tolerance: EXACT,
    derivative: {},
    scalar: { js: ([a, b]) => a! & b!, wgsl: ([a, b]) => `${a} & ${b}` },
  },
  true,
);
