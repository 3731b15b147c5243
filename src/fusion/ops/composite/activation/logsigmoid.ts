import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const logsigmoid = composite({
  name: "logsigmoid",
  floatsInTorch: true,
  aliases: ["log_sigmoid"],
  doc: {
    formula: "−softplus(−x)",
    teaches: "Computed without sigmoid, whose logarithm would be −∞ once it rounds to 0.",
  },
  params: [ONE_TENSOR],
  build: (b, [x]) => b.op("log", "neg", [b.op("softplus", "softplus", [b.op("negative", "neg", [x!])])]),
});
