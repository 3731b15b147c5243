import { EXACT, reduction } from "../families";
import { BELOW_ALL } from "../limits";
import { largest } from "../arg-compare";

export const argmax = reduction({
  name: "argmax",
  doc: {
    formula: "position of max x",
    teaches: "Carries a value and its place; the first of equal ones wins, and the first NaN before all.",
  },
  result: "i32",
  tolerance: EXACT,
  derivative: {},
  reduce: {
    identity: BELOW_ALL,
    combine: { js: (a, b) => Math.max(a, b), wgsl: (a, b) => `max(${a}, ${b})` },
    arg: largest,
  },
});
