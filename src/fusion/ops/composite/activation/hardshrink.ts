import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const hardshrink = composite({
  name: "hardshrink",
  doc: { formula: "|x| ≤ λ ? 0 : x", teaches: "Keeps values that are larger than the bound and sets the rest to 0." },
  params: [
    ONE_TENSOR,
    { names: ["lambd", "lambda_"], kind: "float", default: 0.5, doc: "Up to this size a value becomes 0." },
  ],
  build(b, [x], { lambd }) {
    const { dtype } = b.typeOf(x!);
    const small = b.op("small", "le", [b.op("size", "abs", [x!]), b.scalar(Number(lambd), dtype)]);
    return b.op("shrunk", "where", [small, b.scalar(0, dtype), x!]);
  },
});
