import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const threshold = composite({
  name: "threshold",
  doc: { formula: "x > threshold ? x : value", teaches: "A ReLU with a chosen threshold and value." },
  params: [
    ONE_TENSOR,
    { names: ["threshold"], kind: "float", doc: "Values above it stay as they are." },
    { names: ["value"], kind: "float", doc: "Value for the rest." },
  ],
  build(b, [x], { threshold: above, value }) {
    const { dtype } = b.typeOf(x!);
    const passes = b.op("kept", "gt", [x!, b.scalar(Number(above), dtype)]);
    return b.op("chosen", "where", [passes, x!, b.scalar(Number(value), dtype)]);
  },
});
