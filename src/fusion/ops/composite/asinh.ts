import { composite } from "../compose";
import { ONE_TENSOR } from "../families";

export const asinh = composite({
  name: "asinh",
  aliases: ["arcsinh"],
  doc: {
    formula: "ln(x + √(x² + 1))",
    teaches: "Written on |x| and given x's sign back: for large negative x the plain form would cancel.",
  },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const size = b.op("size", "abs", [x!]);
    const root = b.op("root", "sqrt", [b.op("raised", "add", [b.op("square", "square", [size]), b.scalar(1)])]);
    const log = b.op("log", "log", [b.op("sum", "add", [size, root])]);
    return b.op("signed", "mul", [b.op("sign", "sign", [x!]), log]);
  },
});
