import { composite } from "../compose";
import { ONE_TENSOR } from "../families";

export const acosh = composite({
  name: "acosh",
  aliases: ["arccosh"],
  doc: { formula: "ln(x + √(x² − 1))", teaches: "A logarithm and a root in one kernel; below 1 there is no answer." },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const root = b.op("root", "sqrt", [b.op("lowered", "sub", [b.op("square", "square", [x!]), b.scalar(1)])]);
    return b.op("log", "log", [b.op("sum", "add", [x!, root])]);
  },
});
