import { composite } from "../../compose";
import { AXES, KEEPDIMS, ONE_TENSOR } from "../../families";

export const nanmean = composite({
  name: "nanmean",
  doc: { formula: "Σ x / count of x without NaN", teaches: "Computes the sum and the count in one pass." },
  params: [ONE_TENSOR, AXES, KEEPDIMS],
  build(b, [x], { axes, keepdims }) {
    const fold = { axes: axes ?? null, keepdims: keepdims ?? false };
    const missing = b.op("missing", "is_nan", [x!]);
    const sum = b.op("sum", "sum", [b.op("known", "where", [missing, b.scalar(0, b.typeOf(x!).dtype), x!])], fold);
    return b.op("mean", "div", [
      sum,
      b.op("count", "sum", [b.op("there", "where", [missing, b.scalar(0), b.scalar(1)])], fold),
    ]);
  },
});
