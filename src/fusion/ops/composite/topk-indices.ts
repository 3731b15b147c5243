import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildOrder, checkTop, DESCENDING, RANK_AXIS, SORTED } from "../ranking";
import { numberOf } from "../shapes";

export const topkIndices = composite({
  name: "topk_indices",
  doc: {
    formula: "indices of the k largest",
    teaches: "The indices of topk's values; one kernel computes both in one pass.",
  },
  params: [
    ONE_TENSOR,
    { names: ["k"], kind: "int", doc: "How many." },
    RANK_AXIS,
    { ...DESCENDING, names: ["largest", "descending"], default: true, doc: "False: the smallest." },
    SORTED,
  ],
  check: checkTop,
  build: (b, [x], attrs) =>
    buildOrder(b, x!, { ...attrs, descending: attrs["largest"] !== false }, true, numberOf(attrs["k"], 1)),
});
