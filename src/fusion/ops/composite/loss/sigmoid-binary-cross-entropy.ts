import { composite } from "../../compose";
import { tensor } from "../../families";
import { logitLosses } from "../../losses";

export const sigmoidBinaryCrossEntropy = composite({
  name: "sigmoid_binary_cross_entropy",
  doc: {
    formula: "max(x, 0) − x y + ln(1 + e^−|x|)",
    teaches: "One loss per element, as in optax; the caller averages.",
  },
  params: [
    tensor(["x", "input", "logits"], "Logits: any number."),
    tensor(["y", "target", "labels"], "0, 1, or between."),
  ],
  build: (b, [x, y]) => logitLosses(b, x!, y!, null),
});
