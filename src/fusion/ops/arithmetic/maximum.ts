import { binary, EXACT } from "../families";

export const maximum = binary({
  name: "maximum",
  doc: { formula: "max(a, b)", teaches: "Chooses, never rounds: exact in every order of evaluation." },
  tolerance: EXACT,
  scalar: { js: (a, b) => Math.max(a, b), wgsl: (a, b) => `max(${a}, ${b})` },
});
