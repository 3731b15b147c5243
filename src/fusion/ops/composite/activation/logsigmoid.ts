import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const logsigmoid = composite({
  name: "logsigmoid",
  aliases: ["log_sigmoid"],
  doc: { formula: "−softplus(−x)", teaches: "Never the logarithm of a sigmoid that has rounded to 0." },
  params: [ONE_TENSOR],
  build: (b, [x]) => b.op("log", "neg", [b.op("softplus", "softplus", [b.op("negative", "neg", [x!])])]),
});
