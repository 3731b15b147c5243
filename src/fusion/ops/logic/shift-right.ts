import { shift } from "../bits";

export const shiftRight = shift({
  name: "shift_right",
  jax: ["shift_right_arithmetic"],
  aliases: ["bitwise_right_shift", "right_shift", "right_shift_arithmetic", "shift_right_arithmetic"],
  doc: { formula: "⌊a / 2ᵇ⌋", teaches: "Extracts one bit from a word of 32." },
  sign: ">>",
});
