import { AXIS, composite } from "../../compose";
import { tensor } from "../../families";
import { logSoftmax } from "../log-softmax";

export const softmaxCrossEntropy = composite({
  name: "softmax_cross_entropy",
  doc: { formula: "−Σ y · ln softmax(x)", teaches: "One pass over each row; the probabilities are never stored." },
  params: [
    tensor(["x", "logits"], "Logits: classes last."),
    tensor(["y", "labels"], "Probabilities of the classes."),
    AXIS,
  ],
  build(b, [x, y], attrs) {
    const product = b.op("product", "mul", [y!, logSoftmax.build(b, [x!], attrs)]);
    return b.op("losses", "neg", [b.op("sum", "sum", [product], { axes: attrs["axis"] ?? -1, keepdims: false })]);
  },
});
