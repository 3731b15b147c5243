import { binary } from "../families";

export const or = binary({
  name: "or",
  onnx: "Or",
  aliases: ["logical_or"],
  doc: { formula: "a ∨ b", teaches: "Anything but 0 counts as true." },
  dtype: "logic",
  scalar: { js: (a, b) => Number(a !== 0 || b !== 0), wgsl: (a, b) => `${a} | ${b}` },
});
