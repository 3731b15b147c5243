import { composite } from "../../compose";
import { AXES, KEEPDIMS, ONE_TENSOR } from "../../families";

export const nansum = composite({
  name: "nansum",
  doc: { formula: "Σ x without NaN", teaches: "The test is part of the sum, so x is loaded once." },
  params: [ONE_TENSOR, AXES, KEEPDIMS],
  build(b, [x], { axes, keepdims }) {
    const known = b.op("known", "where", [b.op("missing", "is_nan", [x!]), b.scalar(0, b.typeOf(x!).dtype), x!]);
    return b.op("sum", "sum", [known], { axes: axes ?? null, keepdims: keepdims ?? false });
  },
});
