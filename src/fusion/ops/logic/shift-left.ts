import { shift } from "../bits";

export const shiftLeft = shift({
  name: "shift_left",
  aliases: ["bitwise_left_shift", "left_shift"],
  doc: { formula: "a · 2ᵇ", teaches: "Moves a decision to its place in a word: thirty-two of them take four bytes." },
  sign: "<<",
});
