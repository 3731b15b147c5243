import { composite, optional } from "../../compose";
import { tensor } from "../../families";
import { checkReduced, logitLosses, REDUCED, reduced } from "../../losses";

export const binaryCrossEntropyWithLogits = composite({
  name: "binary_cross_entropy_with_logits",
  doc: {
    formula: "mean(max(x, 0) − x y + ln(1 + e^−|x|))",
    teaches: "Computed without sigmoid, whose logarithm would become −∞ although the loss is finite.",
  },
  params: [
    tensor(["x", "input", "logits"], "Logits: any number."),
    tensor(["y", "target", "labels"], "0, 1, or between."),
    optional(["weight"], "Scale of each loss."),
    REDUCED,
    optional(["pos_weight"], "Scale of the loss where y is 1."),
  ],
  check: checkReduced,
  build(b, [x, y, weight, positive], attrs) {
    const losses = logitLosses(b, x!, y!, positive ?? null);
    return reduced(b, weight ? b.op("weighted", "mul", [losses, weight]) : losses, attrs);
  },
});
