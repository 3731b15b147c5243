import { composite } from "../compose";
import { ONE_TENSOR } from "../families";

export const acosh = composite({
  name: "acosh",
  onnx: "Acosh",
  jax: ["acosh"],
  aliases: ["arccosh"],
  doc: {
    formula: "ln(x + √(x² − 1))",
    teaches:
      "As log1p(x − 1 + √(x − 1) · √(x + 1)): right next to 1, and the square cannot overflow. Below 1 the result is NaN.",
  },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const over = b.op("over", "sub", [x!, b.scalar(1)]);
    const roots = [b.op("lower", "sqrt", [over]), b.op("upper", "sqrt", [b.op("above", "add", [x!, b.scalar(1)])])];
    return b.op("log", "log1p", [b.op("sum", "add", [over, b.op("root", "mul", roots)])]);
  },
});
