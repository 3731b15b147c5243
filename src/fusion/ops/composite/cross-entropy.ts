import { composite, optional } from "../compose";
import { tensor } from "../families";
import { checkLoss, checkReduced, chosenClass, isShared, LOSS, pickedLoss, sharedLoss, SMOOTHING } from "../losses";

export const crossEntropy = composite({
  name: "cross_entropy",
  doc: {
    formula: "mean(ln Σ e^x − x[target])",
    teaches:
      "Softmax, logarithm and the target's column in one pass over each row, so the probabilities are never stored.",
  },
  params: [
    tensor(["x", "input", "logits"], "Scores: batch, classes, then anything."),
    tensor(["target", "labels"], "Class of each row, or the probability of each class."),
    optional(["weight"], "One number for each class."),
    ...LOSS,
    SMOOTHING,
  ],
  chosen: chosenClass,
  check: (inputs, attrs, names) =>
    isShared(inputs[0]!, inputs[1]!) ? checkReduced(inputs, attrs, names) : checkLoss(inputs, attrs, names),
  nonDifferentiable: ["max"],
  build(b, [x, target, weight], attrs) {
    const axis = b.typeOf(x!).shape.length > 1 ? 1 : 0;
    const fold = { axes: [axis], keepdims: true };
    const shifted = b.op("shifted", "sub", [x!, b.op("max", "max", [x!], fold)]);
    const log = b.op("log", "log", [b.op("sum", "sum", [b.op("exp", "exp", [shifted])], fold)]);
    const logs = b.op("share", "sub", [shifted, log]);
    const lossOf = isShared(b.typeOf(x!), b.typeOf(target!)) ? sharedLoss : pickedLoss;
    return lossOf(b, logs, target!, weight ?? null, attrs);
  },
});
