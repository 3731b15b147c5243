import { composite } from "../compose";
import { number, ONE_TENSOR } from "../families";

export const silu = composite({
  name: "silu",
  floatsInTorch: true,
  aliases: ["swish"],
  activation: ["silu", "swish"],
  doc: { formula: "x · sigmoid(x)", teaches: "Two ops in one kernel, so the sigmoid is never stored." },
  params: [ONE_TENSOR, number("alpha", 1, "Steepness of the sigmoid.", "beta")],
  build(b, [x], { alpha }) {
    const steep = alpha === 1 ? x! : b.op("steep", "mul", [x!, b.scalar(Number(alpha))]);
    return b.op("gated", "mul", [x!, b.op("sigmoid", "sigmoid", [steep])]);
  },
});
