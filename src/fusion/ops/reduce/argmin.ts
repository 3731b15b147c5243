import { EXACT, reduction } from "../families";
import { ABOVE_ALL } from "../limits";

export const argmin = reduction({
  name: "argmin",
  doc: { formula: "position of min x", teaches: "Carries a value and its place; the first of equal ones wins." },
  result: "i32",
  tolerance: EXACT,
  reduce: {
    identity: ABOVE_ALL,
    combine: { js: (a, b) => Math.min(a, b), wgsl: (a, b) => `min(${a}, ${b})` },
    arg: "min",
  },
});
