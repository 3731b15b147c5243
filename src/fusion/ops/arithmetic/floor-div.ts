import { binary, DIVIDED } from "../families";
import { isInteger } from "../wgsl";
import { floorDivHelper, intDiv, intFloorDiv } from "../wgsl-helpers";

export const floorDiv = binary({
  name: "floor_div",
  aliases: ["floor_divide"],
  doc: {
    formula: "⌊a / b⌋",
    teaches: "Python's //: rounds towards minus infinity, where a shader's integer division truncates.",
  },
  weightedFlops: 5,
  expensive: true,
  tolerance: DIVIDED,
  derivative: {},
  scalar: {
    js: (a, b) => Math.floor(a / b),
    int: (a, b) => (b === 0 ? 0 : Math.floor(a / b)),
    wgsl: (a, b, t) => t.call(isInteger(t) ? "int_floor_div" : "floor_div", a, b),
    helpers: [intDiv, intFloorDiv, floorDivHelper],
  },
});
