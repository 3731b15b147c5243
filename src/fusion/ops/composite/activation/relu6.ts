import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const relu6 = composite({
  name: "relu6",
  doc: { formula: "min(max(x, 0), 6)", teaches: "A relu that stays small enough for eight bits." },
  params: [ONE_TENSOR],
  build: (b, [x]) => b.op("clamped", "clamp", [x!], { min: 0, max: 6 }),
});
