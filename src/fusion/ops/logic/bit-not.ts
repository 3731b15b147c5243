import { EXACT } from "../families";
import { bitwise } from "../bits";

export const bitNot = bitwise(1, {
  name: "bit_not",
  aliases: ["bitwise_not", "invert"],
  ofTruths: "not",
  onnx: "BitwiseNot",
  doc: { formula: "¬a, bit by bit", teaches: "Inverts every bit: −a − 1." },
  tolerance: EXACT,
  derivative: {},
  algebra: { involution: true },
  scalar: { js: ([a]) => ~a!, wgsl: ([a]) => `~${a}` },
});
