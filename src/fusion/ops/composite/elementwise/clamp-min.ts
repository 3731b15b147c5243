import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";

export const clampMin = composite({
  name: "clamp_min",
  doc: { formula: "max(x, bound)", teaches: "One bound of a clamp; it may be a tensor." },
  params: [ONE_TENSOR, tensor(["min", "bound"], "The bound.")],
  build: (b, [x, bound]) => b.op("bounded", "maximum", [x!, bound!]),
});
