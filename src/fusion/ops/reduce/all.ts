import { EXACT, reduction } from "../families";

export const all = reduction({
  name: "all",
  doc: { formula: "∀ x ≠ 0", teaches: "Could stop at the first false value; a GPU rarely gains by it." },
  dtype: "logic",
  tolerance: EXACT,
  derivative: {},
  algebra: { nests: true },
  reduce: {
    identity: () => 1,
    combine: { js: (a, b) => Number(a !== 0 && b !== 0), wgsl: (a, b) => `${a} & ${b}` },
  },
});
