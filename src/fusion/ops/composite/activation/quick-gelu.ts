import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const quickGelu = composite({
  name: "quick_gelu",
  doc: { formula: "x · σ(1.702 x)", teaches: "A GELU approximation with one exponential, used to train CLIP." },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const steep = b.op("steep", "mul", [x!, b.scalar(1.702, b.typeOf(x!).dtype)]);
    return b.op("gated", "mul", [x!, b.op("gate", "sigmoid", [steep])]);
  },
});
