import { UP } from "../algebra";
import { EXPONENTIAL, unary } from "../families";

export const exp2 = unary({
  name: "exp2",
  jax: ["exp2"],
  doc: { formula: "2ˣ", teaches: "GPUs compute exp as exp2 of a scaled argument." },
  dtype: "float",
  weightedFlops: 8,
  work: 11,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: { partials: ({ output, of }) => [of("mul", [output, Math.LN2])] },
  inverse: () => ({ op: "log2", of: ["result"] }),
  algebra: { exponential: true, range: "positive", monotone: [UP] },
  scalar: { js: (x) => 2 ** x, wgsl: (x) => `exp2(${x})` },
});
