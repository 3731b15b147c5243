import { composite } from "../compose";
import { AXES, KEEPDIMS, ONE_TENSOR } from "../families";
import { buildVariance, CORRECTION, UNBIASED } from "../variance";

export const std = composite({
  name: "std",
  floatsInTorch: true,
  jaxDefaults: { unbiased: false },
  doc: {
    formula: "√(Σ (x − mean)² / (n − correction))",
    teaches:
      "Two passes over the row, because mean(x²) − mean² would lose digits. With the row in registers, x is loaded once.",
  },
  params: [ONE_TENSOR, AXES, UNBIASED, KEEPDIMS, CORRECTION],
  build: (b, [x], attrs) => b.op("root", "sqrt", [buildVariance(b, x!, attrs, attrs["keepdims"] === true)]),
});
