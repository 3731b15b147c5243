import { binary, LOGARITHM } from "../families";
import { LN } from "../wgsl-helpers";

/** torch.xlogy: entropies and likelihoods sum x · ln y, where a share of 0 counts as 0 even at y = 0. */
export const xlogy = binary({
  name: "xlogy",
  doc: {
    formula: "x · ln y, 0 where x is 0",
    teaches: "One select keeps 0 · ln 0 from becoming NaN, and it costs no memory where the logarithm is computed.",
  },
  dtype: "float",
  weightedFlops: 10,
  expensive: true,
  tolerance: LOGARITHM,
  derivative: {
    partials: ({ inputs: [x, y], of }) => [
      of("where", [of("eq", [x!, 0]), 0, of("log", [y!])]),
      of("where", [of("eq", [x!, 0]), 0, of("div", [x!, y!])]),
    ],
  },
  scalar: {
    js: (x, y) => (x === 0 ? 0 : x * Math.log(y)),
    wgsl: (x, y, t) => `select(${x} * ${t.call("ln", y)}, ${t.num(0)}, ${x} == ${t.num(0)})`,
    helpers: [...LN],
  },
});
