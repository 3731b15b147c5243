import { EXACT, reduction } from "../families";
import { ABOVE_ALL } from "../limits";
import { smallest } from "../arg-compare";

export const argmin = reduction({
  name: "argmin",
  doc: {
    formula: "position of min x",
    teaches: "Keeps a value and its index. Among equal values the first wins, and the first NaN wins over all.",
  },
  result: "i32",
  tolerance: EXACT,
  derivative: {},
  reduce: {
    identity: ABOVE_ALL,
    combine: { js: (a, b) => Math.min(a, b), wgsl: (a, b) => `min(${a}, ${b})` },
    arg: smallest,
  },
});
