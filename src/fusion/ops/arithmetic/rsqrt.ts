import { DOWN } from "../algebra";
import { DIVIDED, unary } from "../families";

export const rsqrt = unary({
  name: "rsqrt",
  jax: ["rsqrt"],
  doc: {
    formula: "1 / √x",
    teaches: "One instruction on a GPU, where sqrt and a division are two: normalisations use it.",
  },
  dtype: "float",
  weightedFlops: 4,
  work: 9,
  expensive: true,
  tolerance: DIVIDED,
  derivative: { partials: ({ inputs: [x], output, of }) => [of("div", [of("mul", [output, -0.5]), x!])] },
  algebra: { powers: [-0.5], monotone: [{ ...DOWN, where: "positive" }] },
  scalar: { js: (x) => 1 / Math.sqrt(x), wgsl: (x) => `inverseSqrt(${x})` },
});
