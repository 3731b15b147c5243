import { composite } from "../../compose";
import { tensor } from "../../families";
import { flattened } from "../../linear-indices";

export const vdot = composite({
  name: "vdot",
  oneDtypeInTorch: true,
  doc: {
    formula: "Σ a[i] · b[i]",
    teaches: "A dot product of all elements: two tensors are loaded and one number is stored.",
  },
  params: [tensor(["a", "input", "x"], "Left operand."), tensor(["b", "other", "y"], "Right operand.")],
  build(b, [left, right]) {
    const product = b.op("product", "mul", [flattened(b, left!), flattened(b, right!)]);
    return b.op("sum", "sum", [product], { axes: null, keepdims: false });
  },
});
