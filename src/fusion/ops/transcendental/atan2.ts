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
    js: (a, b) => Math.atan2(a + 0, b + 0),
    // On the axis the builtin is left open; here −0 counts as 0.
    wgsl: (a, b, t) =>
      `select(atan2(${a}, ${b}), select(${t.num(0)}, ${t.num(Math.PI)}, ${b} < ${t.num(0)}), ${a} == ${t.num(0)})`,
  },
});
