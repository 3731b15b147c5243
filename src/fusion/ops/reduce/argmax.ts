import { EXACT, reduction } from "../families";
import { BELOW_ALL } from "../limits";
import { largest } from "../arg-compare";

export const argmax = reduction({
  name: "argmax",
  doc: {
    formula: "position of max x",
    teaches: "Keeps a value and its index. Among equal values the first wins, and the first NaN wins over all.",
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
