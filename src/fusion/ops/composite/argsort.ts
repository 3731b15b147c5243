import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildOrder, checkRanked, DESCENDING, RANK_AXIS } from "../ranking";

export const argsort = composite({
  name: "argsort",
  doc: {
    formula: "places of x in order",
    teaches: "Equal elements keep their order: a place goes along with each key and settles ties.",
  },
  params: [ONE_TENSOR, RANK_AXIS, DESCENDING],
  check: checkRanked,
  build: (b, [x], attrs) => buildOrder(b, x!, attrs, true, null),
});
