import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildOrder, checkRanked, DESCENDING, RANK_AXIS } from "../ranking";

export const argsort = composite({
  name: "argsort",
  doc: {
    formula: "indices that sort x",
    teaches: "Equal elements keep their order: each key is sorted together with its index.",
  },
  params: [ONE_TENSOR, RANK_AXIS, DESCENDING],
  check: checkRanked,
  build: (b, [x], attrs) => buildOrder(b, x!, attrs, true, null),
});
