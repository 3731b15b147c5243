import { buildAdaptive, checkAdaptive } from "../../adaptive";
import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const adaptiveAvgPool = composite({
  name: "adaptive_avg_pool",
  aliases: ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"],
  doc: {
    formula: "mean of each share of an axis",
    teaches:
      "Where the sizes divide, it is a reshape and a fold; elsewhere windows of two lengths, told by comparing indices.",
  },
  params: [
    ONE_TENSOR,
    { names: ["output_size"], kind: "ints", none: -1, doc: "Sizes of the last axes; None keeps one." },
  ],
  check: checkAdaptive,
  build: (b, [x], attrs) => buildAdaptive(b, x!, attrs, "mean"),
});
