import { LOGARITHM, unary } from "../families";
import { LN } from "../wgsl-helpers";

/** torch.special.entr: what one probability adds to an entropy. */
export const entr = unary({
  name: "entr",
  doc: {
    formula: "−x · ln x, 0 at 0, −∞ below",
    teaches: "An entropy is the sum of it: computed where the sum reads it, the logarithm is never stored.",
  },
  dtype: "float",
  weightedFlops: 10,
  expensive: true,
  tolerance: LOGARITHM,
  jax: ["entr"],
  derivative: { partials: ({ inputs: [x], of }) => [of("sub", [-1, of("log", [x!])])] },
  scalar: {
    js: (x) => (x === 0 ? 0 : x < 0 ? -Infinity : -x * Math.log(x)),
    wgsl: (x, t) =>
      `select(select(-${x} * ${t.call("ln", x)}, ${t.num(0)}, ${x} == ${t.num(0)}), ${t.num(-Infinity)}, ${x} < ${t.num(0)})`,
    helpers: [...LN],
  },
});
