import { binary } from "../families";

export const xor = binary({
  name: "xor",
  onnx: "Xor",
  aliases: ["logical_xor"],
  doc: { formula: "a ⊕ b", teaches: "True where exactly one operand is." },
  dtype: "logic",
  scalar: { js: (a, b) => Number((a !== 0) !== (b !== 0)), wgsl: (a, b) => `${a} != ${b}` },
});
