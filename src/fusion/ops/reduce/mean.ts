import { countOf, spread } from "../derivatives";
import { reduction } from "../families";

export const mean = reduction({
  name: "mean",
  floatsInTorch: true,
  doc: { formula: "Σ x / n", teaches: "A sum with one division at the end; reading x sets its time." },
  dtype: "float",
  derivative: { vjp: (context, g) => context.of("mul", [spread(context, g), 1 / countOf(context)]) },
  algebra: { linear: [[0]], nests: true },
  reduce: {
    identity: () => 0,
    ofTwo: "add",
    combine: { js: (a, b) => a + b, wgsl: (a, b) => `${a} + ${b}` },
    finish: {
      js: (x, count) => x / count,
      text: (x, count) => `${x} / ${count}`,
      wgsl: (x, count, t) => `${x} / ${t.num(count)}`,
    },
  },
});
