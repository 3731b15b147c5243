import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildOrder, checkTop, DESCENDING, RANK_AXIS, SORTED } from "../ranking";
import { numberOf } from "../shapes";

export const topk = composite({
  name: "topk",
  aliases: ["top_k"],
  indices: "topk_indices",
  keeps: "truths",
  doc: {
    formula: "the k largest",
    teaches: "A long row is not sorted: the best so far stay in workgroup memory while the row is read.",
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
    buildOrder(b, x!, { ...attrs, descending: attrs["largest"] !== false }, false, numberOf(attrs["k"], 1)),
});
