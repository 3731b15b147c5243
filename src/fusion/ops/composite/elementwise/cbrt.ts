import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const cbrt = composite({
  name: "cbrt",
  jax: ["cbrt"],
  doc: { formula: "∛x", teaches: "The sign is handled separately, because a power of a negative number is NaN." },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const size = b.op("size", "abs", [x!]);
    const root = b.op("root", "pow", [size, b.scalar(1 / 3)]);
    return b.op("signed", "mul", [b.op("sign", "sign", [x!]), root]);
  },
});
