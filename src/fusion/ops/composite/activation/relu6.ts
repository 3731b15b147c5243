import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const relu6 = composite({
  name: "relu6",
  activation: ["relu6"],
  doc: { formula: "min(max(x, 0), 6)", teaches: "A ReLU limited to 6, so that it suits 8-bit arithmetic." },
  params: [ONE_TENSOR],
  build: (b, [x]) => b.op("clamped", "clamp", [x!], { min: 0, max: 6 }),
});
