import { binary, POLYNOMIAL } from "../families";
import { ATAN2 } from "../wgsl-functions";

export const atan2 = binary({
  name: "atan2",
  jax: ["atan2"],
  aliases: ["arctan2"],
  doc: { formula: "angle of (b, a)", teaches: "Unlike the arctangent of a quotient, it knows the quadrant." },
  dtype: "float",
  weightedFlops: 16,
  work: 45,
  expensive: true,
  tolerance: POLYNOMIAL,
  derivative: {
    partials({ inputs: [a, b], of }) {
      const square = of("add", [of("square", [a!]), of("square", [b!])]);
      return [of("div", [b!, square]), of("neg", [of("div", [a!, square])])];
    },
  },
  scalar: {
    js: (a, b) => Math.atan2(a + 0, b + 0),
    wgsl: (a, b, t) => t.call("atan2_of", a, b),
    helpers: ATAN2,
  },
});
