import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildOrder, checkTop, DESCENDING, RANK_AXIS } from "../ranking";
import { numberOf } from "../shapes";

export const topk = composite({
  name: "topk",
  aliases: ["top_k"],
  doc: { formula: "the k largest", teaches: "Ranks are counted first; each of the k places then picks its element." },
  params: [
    ONE_TENSOR,
    { names: ["k"], kind: "int", doc: "How many." },
    RANK_AXIS,
    { ...DESCENDING, names: ["largest", "descending"], default: true, doc: "False: the smallest." },
  ],
  check: checkTop,
  build: (b, [x], attrs) => buildOrder(b, x!, { ...attrs, descending: attrs["largest"] !== false }, false, numberOf(attrs["k"], 1)), // prettier-ignore
});
