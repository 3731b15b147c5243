import { composite } from "../../compose";
import { tensor } from "../../families";

export const hypot = composite({
  name: "hypot",
  doc: { formula: "√(a² + b²)", teaches: "The squares stay in registers; above 1.8e19 they overflow." },
  params: [tensor(["a", "input", "x"], "Left operand."), tensor(["b", "other", "y"], "Right operand.")],
  build(b, [left, right]) {
    const sum = b.op("sum", "add", [b.op("left", "square", [left!]), b.op("right", "square", [right!])]);
    return b.op("root", "sqrt", [sum]);
  },
});
