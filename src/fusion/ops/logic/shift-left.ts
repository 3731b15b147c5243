import { shift } from "../bits";

export const shiftLeft = shift({
  name: "shift_left",
  jax: ["shift_left"],
  aliases: ["bitwise_left_shift", "left_shift"],
  doc: { formula: "a · 2ᵇ", teaches: "Moves a bit to its position in a word; 32 of them take four bytes." },
  sign: "<<",
});
