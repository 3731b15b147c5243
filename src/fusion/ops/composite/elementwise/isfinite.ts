import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const isfinite = composite({
  name: "isfinite",
  jax: ["is_finite"],
  aliases: ["is_finite"],
  doc: { formula: "neither ∞ nor NaN", teaches: "Tested on the bits: a shader compiler may take x − x = 0 for true." },
  params: [ONE_TENSOR],
  build(b, [x]) {
    return b.op("finite", "not", [b.op("odd", "or", [b.op("nan", "is_nan", [x!]), b.op("infinite", "is_inf", [x!])])]);
  },
});
