import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const sinc = composite({
  name: "sinc",
  doc: {
    formula: "sin(πx) / (πx)",
    teaches: "At 0 the limit is chosen: both branches are computed, and the NaN is dropped.",
  },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const { dtype } = b.typeOf(x!);
    const angle = b.op("angle", "mul", [x!, b.scalar(Math.PI)]);
    const ratio = b.op("ratio", "div", [b.op("sin", "sin", [angle]), angle]);
    return b.op("chosen", "where", [
      b.op("zero", "eq", [x!, b.scalar(0, dtype)]),
      b.scalar(1, b.typeOf(ratio).dtype),
      ratio,
    ]);
  },
});
