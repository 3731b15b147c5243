import { composite, optional } from "../compose";
import { tensor } from "../families";
import { checkLoss, chosenClass, LOSS, pickedLoss } from "../losses";

export const nllLoss = composite({
  name: "nll_loss",
  doc: {
    formula: "−mean(weight[target] · x[target])",
    teaches: "The target's column is found by comparing class numbers, so the loss needs one pass over each row.",
  },
  params: [
    tensor(["x", "input", "log_probs"], "Logarithms of probabilities: batch, classes, then anything."),
    tensor(["target", "labels"], "Class of each row."),
    optional(["weight"], "One number for each class."),
    ...LOSS,
  ],
  chosen: chosenClass,
  check: checkLoss,
  build: (b, [x, target, weight], attrs) => pickedLoss(b, x!, target!, weight ?? null, attrs),
});
