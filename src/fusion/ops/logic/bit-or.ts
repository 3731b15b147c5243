import { EXACT } from "../families";
import { bitwise } from "../bits";

export const bitOr = bitwise(
  2,
  {
    name: "bit_or",
    onnx: "BitwiseOr",
    aliases: ["bitwise_or"],
    doc: { formula: "a ∨ b, bit by bit", teaches: "Sets a bit where either operand has one." },
    tolerance: EXACT,
    derivative: {},
    scalar: { js: ([a, b]) => a! | b!, wgsl: ([a, b]) => `${a} | ${b}` },
  },
  true,
);
