import { type NodeId } from "../../../ir";
import { composite, optional } from "../../compose";
import { tensor } from "../../families";
import { checkReduced, REDUCED, reduced } from "../../losses";

export const binaryCrossEntropy = composite({
  name: "binary_cross_entropy",
  doc: {
    formula: "−mean(y ln p + (1 − y) ln(1 − p))",
    teaches: "Logarithms are limited to −100, so that the loss stays finite.",
  },
  params: [
    tensor(["p", "input", "x"], "Probabilities."),
    tensor(["y", "target", "labels"], "0, 1, or between."),
    optional(["weight"], "Scale of each loss."),
    REDUCED,
  ],
  check: checkReduced,
  build(b, [p, target, weight], attrs) {
    const one = b.scalar(1, b.typeOf(p!).dtype);
    const log = (part: string, of: NodeId) =>
      b.op(part, "clamp", [b.op(`${part}_log`, "log", [of])], { min: -100, max: null });
    const yes = b.op("yes", "mul", [target!, log("hit", p!)]);
    const no = b.op("no", "mul", [b.op("rest", "sub", [one, target!]), log("miss", b.op("other", "sub", [one, p!]))]);
    const losses = b.op("losses", "neg", [b.op("both", "add", [yes, no])]);
    return reduced(b, weight ? b.op("weighted", "mul", [losses, weight]) : losses, attrs);
  },
});
