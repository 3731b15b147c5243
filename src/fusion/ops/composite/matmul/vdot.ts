import { composite } from "../../compose";
import { tensor } from "../../families";
import { flattened } from "../../linear-indices";

export const vdot = composite({
  name: "vdot",
  doc: {
    formula: "Σ a[i] · b[i]",
    teaches: "The product of rows with one number as its result: two tensors are read, four bytes are written.",
  },
  params: [tensor(["a", "input", "x"], "Left operand."), tensor(["b", "other", "y"], "Right operand.")],
  build(b, [left, right]) {
    const product = b.op("product", "mul", [flattened(b, left!), flattened(b, right!)]);
    return b.op("sum", "sum", [product], { axes: null, keepdims: false });
  },
});
