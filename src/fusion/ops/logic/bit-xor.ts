import { EXACT } from "../families";
import { bitwise } from "../bits";
import { isTruth } from "../wgsl";

export const bitXor = bitwise(
  2,
  {
    name: "bit_xor",
    onnx: "BitwiseXor",
    aliases: ["bitwise_xor"],
    doc: { formula: "a ⊕ b, bit by bit", teaches: "Applying the same operand twice gives the original value." },
    tolerance: EXACT,
    derivative: {},
    scalar: { js: ([a, b]) => a! ^ b!, wgsl: ([a, b], _attrs, t) => `${a} ${isTruth(t) ? "!=" : "^"} ${b}` },
  },
  true,
);
