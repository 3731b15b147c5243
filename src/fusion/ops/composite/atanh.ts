import { composite } from "../compose";
import { ONE_TENSOR } from "../families";

export const atanh = composite({
  name: "atanh",
  onnx: "Atanh",
  jax: ["atanh"],
  aliases: ["arctanh"],
  doc: {
    formula: "½ ln((1 + x) / (1 − x))",
    teaches: "Uses two log1p instead of a quotient, which is accurate near 0.",
  },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const [above, below] = [b.op("above", "log1p", [x!]), b.op("below", "log1p", [b.op("minus", "neg", [x!])])];
    return b.op("half", "mul", [b.op("difference", "sub", [above, below]), b.scalar(0.5)]);
  },
});
