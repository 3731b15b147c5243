import { binary } from "../families";
import { isInteger } from "../wgsl";
import { floorDivHelper, floorMod, intMod } from "../wgsl-helpers";

const TOLERANCE = { rtol: 1e-6, atol: 2e-5, reason: "the remainder keeps the rounding of the larger operand" };

export const mod = binary({
  name: "mod",
  aliases: ["remainder"],
  doc: { formula: "a − b⌊a / b⌋", teaches: "Takes the sign of b as in Python; WGSL's % takes the sign of a." },
  weightedFlops: 6,
  work: 21,
  expensive: true,
  tolerance: TOLERANCE,
  derivative: { partials: ({ inputs: [a, b], of }) => [1, of("neg", [of("floor_div", [a!, b!])])] },
  scalar: {
    js(a, b) {
      const rest = a % b;
      return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
    },
    int: (a, b) => (b === 0 ? 0 : a - b * Math.floor(a / b)),
    wgsl: (a, b, t) => t.call(isInteger(t) ? "int_mod" : "floor_mod", a, b),
    helpers: [intMod, floorDivHelper, floorMod],
  },
});
