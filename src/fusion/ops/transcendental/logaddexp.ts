import { binary, LOGARITHM } from "../families";
import { LOG1P } from "../wgsl-helpers";

export const logaddexp = binary({
  name: "logaddexp",
  doc: { formula: "ln(eᵃ + eᵇ)", teaches: "The larger operand is subtracted first, so nothing overflows." },
  dtype: "float",
  weightedFlops: 20,
  work: 41,
  expensive: true,
  tolerance: LOGARITHM,
  derivative: {
    partials: ({ inputs: [a, b], output, of }) => [
      of("exp", [of("sub", [a!, output])]),
      of("exp", [of("sub", [b!, output])]),
    ],
  },
  scalar: {
    js: (a, b) => (a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))),
    wgsl: (a, b, t) =>
      `max(${a}, ${b}) + select(${t.call("log1p", `exp(-abs(${a} - ${b}))`)}, ${t.num(Math.LN2)}, ${a} == ${b})`,
    helpers: [...LOG1P],
  },
});
