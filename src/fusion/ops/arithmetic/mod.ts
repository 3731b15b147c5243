import { binary, DIVIDED } from "../families";
import { isInteger } from "../wgsl";
import { floorMod, intMod } from "../wgsl-helpers";

export const mod = binary({
  name: "mod",
  aliases: ["remainder"],
  doc: { formula: "a − b⌊a / b⌋", teaches: "Takes the sign of b as in Python; WGSL's % takes the sign of a." },
  flops: 6,
  expensive: true,
  tolerance: DIVIDED,
  scalar: {
    js: (a, b) => a - b * Math.floor(a / b),
    int: (a, b) => (b === 0 ? 0 : a - b * Math.floor(a / b)),
    wgsl: (a, b, t) => t.call(isInteger(t) ? "int_mod" : "floor_mod", a, b),
    helpers: [intMod, floorMod],
  },
});
