import { UP_EXACT } from "../algebra";
import { unary } from "../families";

export const square = unary({
  name: "square",
  jax: ["square"],
  doc: {
    formula: "x · x",
    teaches: "One operand read once: better than x ** 2, which many compilers turn into a power.",
  },
  derivative: { partials: ({ inputs: [x], of }) => [of("mul", [x!, 2])] },
  algebra: { powers: [2], keepsZero: true, range: "non-negative", monotone: [{ ...UP_EXACT, where: "non-negative" }] },
  scalar: { js: (x) => x * x, int: (x) => Math.imul(x, x), wgsl: (x) => `${x} * ${x}` },
});
