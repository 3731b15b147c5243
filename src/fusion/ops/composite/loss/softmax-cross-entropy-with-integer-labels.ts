import { showShape } from "../../../ir";
import { composite } from "../../compose";
import { tensor } from "../../families";
import { along } from "../../linear-indices";
import { wrong } from "../../shapes";
import { logSoftmax } from "../log-softmax";

export const softmaxCrossEntropyWithIntegerLabels = composite({
  name: "softmax_cross_entropy_with_integer_labels",
  doc: {
    formula: "ln Σ e^x − x[y]",
    teaches: "One pass over each row finds the target's column by comparing class numbers.",
  },
  params: [tensor(["x", "logits"], "Logits: classes last."), tensor(["y", "labels"], "Class of each row.")],
  check([x, y], _attrs, names) {
    if (x!.shape.length > 0 && x!.shape.slice(0, -1).join() === y!.shape.join()) return null;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(x!.shape)}, ${names[1]} is ${showShape(y!.shape)}: the labels have every axis but the classes', which is the last.`,
    );
  },
  build(b, [x, y]) {
    const { shape, dtype } = b.typeOf(x!);
    const axis = shape.length - 1;
    const logs = logSoftmax.build(b, [x!], { axis });
    const here = b.op("is_label", "eq", [
      b.op("label", "unsqueeze", [y!], { axes: [axis] }),
      along(b, "classes", shape[axis]!, 1, axis, shape.length),
    ]);
    const chosen = b.op("chosen", "where", [here, logs, b.scalar(0, dtype)]);
    return b.op("losses", "neg", [b.op("picked", "sum", [chosen], { axes: [axis], keepdims: false })]);
  },
});
