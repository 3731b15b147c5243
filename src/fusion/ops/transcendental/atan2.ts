import { binary } from "../families";

const ARC = { rtol: 5e-4, atol: 5e-4, reason: "WGSL allows atan and what follows from it 4096 ULP" };

export const atan2 = binary({
  name: "atan2",
  aliases: ["arctan2"],
  doc: { formula: "angle of (b, a)", teaches: "The quotient alone would forget which quadrant it came from." },
  dtype: "float",
  flops: 16,
  expensive: true,
  tolerance: ARC,
  scalar: {
    js: Math.atan2,
    wgsl: (a, b, t) => `select(atan2(${a}, ${b}), ${t.num(0)}, (abs(${a}) + abs(${b})) == ${t.num(0)})`,
  },
});
