import { composite } from "../../compose";
import { ONE_TENSOR, number } from "../../families";

export const hardtanh = composite({
  name: "hardtanh",
  aliases: ["hard_tanh"],
  doc: { formula: "min(max(x, low), high)", teaches: "A tanh for machines without a cheap exponential." },
  params: [ONE_TENSOR, number("min_val", -1, "Lower bound."), number("max_val", 1, "Upper bound.")],
  build: (b, [x], { min_val: min, max_val: max }) => b.op("clamped", "clamp", [x!], { min: min ?? -1, max: max ?? 1 }),
});
