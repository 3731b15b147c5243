import { buildAdaptive, checkAdaptive } from "../../adaptive";
import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const adaptiveMaxPool = composite({
  name: "adaptive_max_pool",
  aliases: ["adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"],
  doc: {
    formula: "max of each share of an axis",
    teaches:
      "Where the sizes divide, it is a reshape and a fold; elsewhere windows of two lengths, told by comparing indices.",
  },
  params: [
    ONE_TENSOR,
    { names: ["output_size"], kind: "ints", none: -1, doc: "Sizes of the last axes; None keeps one." },
  ],
  check: checkAdaptive,
  build: (b, [x], attrs) => buildAdaptive(b, x!, attrs, "max"),
});
