import { binary, POLYNOMIAL } from "../families";
import { ATAN2 } from "../wgsl-functions";

export const atan2 = binary({
  name: "atan2",
  aliases: ["arctan2"],
  doc: { formula: "angle of (b, a)", teaches: "The quotient alone would forget which quadrant it came from." },
  dtype: "float",
  flops: 16,
  expensive: true,
  tolerance: POLYNOMIAL,
  scalar: {
    js: (a, b) => Math.atan2(a + 0, b + 0),
    wgsl: (a, b, t) => t.call("atan2_of", a, b),
    helpers: ATAN2,
  },
});
