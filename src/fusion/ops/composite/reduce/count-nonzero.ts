import { composite } from "../../compose";
import { AXES, KEEPDIMS, ONE_TENSOR } from "../../families";

export const countNonzero = composite({
  name: "count_nonzero",
  doc: { formula: "how many x ≠ 0", teaches: "A sum of tests, each 0 or 1; the tests are never stored." },
  params: [ONE_TENSOR, AXES, KEEPDIMS],
  build(b, [x], { axes, keepdims }) {
    const there = b.op("there", "ne", [x!, b.scalar(0, b.typeOf(x!).dtype)]);
    return b.op("count", "sum", [there], { axes: axes ?? null, keepdims: keepdims ?? false });
  },
});
