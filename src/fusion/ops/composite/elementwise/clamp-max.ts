import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";

export const clampMax = composite({
  name: "clamp_max",
  doc: { formula: "min(x, bound)", teaches: "One bound of a clamp; it may be a tensor." },
  params: [ONE_TENSOR, tensor(["max", "bound"], "The bound.")],
  build: (b, [x, bound]) => b.op("bounded", "minimum", [x!, bound!]),
});
