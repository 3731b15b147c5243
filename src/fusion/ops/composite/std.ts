import { composite } from "../compose";
import { AXES, KEEPDIMS, ONE_TENSOR } from "../families";
import { buildVariance, CORRECTION } from "../variance";

export const std = composite({
  name: "std",
  doc: {
    formula: "√(Σ (x − mean)² / (n − correction))",
    teaches: "Two passes over the row, because mean(x²) − mean² would cancel; kept in registers, one read.",
  },
  params: [ONE_TENSOR, AXES, ...CORRECTION, KEEPDIMS],
  build: (b, [x], attrs) => b.op("root", "sqrt", [buildVariance(b, x!, attrs, attrs["keepdims"] === true)]),
});
