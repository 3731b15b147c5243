import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildOrder, checkRanked, DESCENDING, RANK_AXIS } from "../ranking";

export const sort = composite({
  name: "sort",
  indices: "argsort",
  keeps: "truths",
  doc: {
    formula: "x in order",
    teaches:
      "Rows of up to 2,048 are sorted in workgroup memory, n·log² n exchanges between one read and one write; longer ones in runs of that length, which one kernel after another merges two by two, or, whole numbers, by one digit after another.",
  },
  params: [ONE_TENSOR, RANK_AXIS, DESCENDING],
  check: checkRanked,
  build: (b, [x], attrs) => buildOrder(b, x!, attrs, false, null),
});
