import { composite } from "../../compose";
import { ONE_TENSOR, number } from "../../families";

export const squareplus = composite({
  name: "squareplus",
  doc: { formula: "(x + √(x² + b)) / 2", teaches: "A softplus without an exponential." },
  params: [ONE_TENSOR, number("b", 4, "Smoothness of the bend.")],
  build(b, [x], { b: bend }) {
    const { dtype } = b.typeOf(x!);
    const raised = b.op("shifted", "add", [b.op("square", "square", [x!]), b.scalar(Number(bend), dtype)]);
    return b.op("half", "mul", [b.op("sum", "add", [x!, b.op("root", "sqrt", [raised])]), b.scalar(0.5, dtype)]);
  },
});
