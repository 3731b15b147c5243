import { composite, optional } from "../compose";
import { tensor } from "../families";
import { checkLoss, LOSS, pickedLoss } from "../losses";

export const crossEntropy = composite({
  name: "cross_entropy",
  doc: {
    formula: "mean(ln Σ e^x − x[target])",
    teaches:
      "Softmax, logarithm and the choice of one column in one walk over the row: the probabilities are never written.",
  },
  params: [
    tensor(["x", "input", "logits"], "Scores: batch, classes, then anything."),
    tensor(["target", "labels"], "Class of each row."),
    optional(["weight"], "One number for each class."),
    ...LOSS,
  ],
  check: checkLoss,
  build(b, [x, target, weight], attrs) {
    const axis = b.typeOf(x!).shape.length > 1 ? 1 : 0;
    const fold = { axes: [axis], keepdims: true };
    const shifted = b.op("shifted", "sub", [x!, b.op("max", "max", [x!], fold)]);
    const log = b.op("log", "log", [b.op("sum", "sum", [b.op("exp", "exp", [shifted])], fold)]);
    return pickedLoss(b, b.op("share", "sub", [shifted, log]), target!, weight ?? null, attrs);
  },
});
