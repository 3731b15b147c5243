import { EXACT, reduction } from "../families";

export const any = reduction({
  name: "any",
  doc: { formula: "∃ x ≠ 0", teaches: "Could stop at the first true value; a GPU rarely gains by it." },
  dtype: "logic",
  tolerance: EXACT,
  derivative: {},
  algebra: { nests: true },
  reduce: {
    identity: () => 0,
    combine: { js: (a, b) => Number(a !== 0 || b !== 0), wgsl: (a, b) => `${a} | ${b}` },
  },
});
