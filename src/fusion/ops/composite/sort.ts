import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildOrder, checkRanked, DESCENDING, RANK_AXIS } from "../ranking";

export const sort = composite({
  name: "sort",
  doc: {
    formula: "x in order",
    teaches:
      "Counted here: n² comparisons in two kernels. A bitonic sort needs n·log² n in several; it pays from a few thousand on.",
  },
  params: [ONE_TENSOR, RANK_AXIS, DESCENDING],
  check: checkRanked,
  build: (b, [x], attrs) => buildOrder(b, x!, attrs, false, null),
});
