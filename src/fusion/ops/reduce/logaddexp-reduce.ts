import { LOGARITHM, reduction } from "../families";
import { logaddexp } from "../transcendental/logaddexp";

const ofTwo = logaddexp.scalar!;

/** What `logcumsumexp` adds up; a whole row is `logsumexp`, which subtracts its maximum once. */
export const logaddexpReduce = reduction({
  name: "logaddexp_reduce",
  internal: true,
  doc: { formula: "ln Σ eˣ", teaches: "Combines logarithms pair by pair: the larger is subtracted before each sum." },
  dtype: "float",
  weightedFlops: logaddexp.weightedFlops,
  tolerance: LOGARITHM,
  reduce: {
    identity: () => Number.NEGATIVE_INFINITY,
    ofTwo: "logaddexp",
    combine: {
      js: (a, b) => ofTwo.js([a, b], {}),
      // Of two that are −∞ the difference is no number.
      wgsl: (a, b, t) =>
        `max(${a}, ${b}) + select(log(1.0 + exp(-abs(${a} - ${b}))), ${t.num(Math.LN2)}, ${a} == ${b})`,
    },
  },
});
