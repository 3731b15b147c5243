import { UP_EXACT } from "../algebra";
import { binary } from "../families";
import { isInteger, magnitudeBits, unsigned } from "../wgsl";

export const addPeak = binary({
  name: "add_peak",
  internal: true,
  doc: {
    formula: "a + b, but b where b is ±∞",
    teaches:
      "Adds back the maximum that logsumexp has subtracted. For a row of nothing but −∞, a is NaN and the answer is −∞.",
  },
  derivative: { partials: () => [1, 1] },
  algebra: { monotone: [UP_EXACT, UP_EXACT] },
  weightedFlops: 2,
  scalar: {
    js: (a, b) => (Math.abs(b) === Infinity ? b : a + b),
    wgsl: (a, b, t) =>
      isInteger(t)
        ? `${a} + ${b}`
        : `select(${a} + ${b}, ${b}, ${magnitudeBits(b, t)} == ${unsigned("0x7f800000u", t)})`,
  },
});
