import { composite } from "../../compose";
import { tensor } from "../../families";
import { buildClose, CLOSENESS } from "../../isclose";

export const allclose = composite({
  name: "allclose",
  doc: {
    formula: "all(|a − b| ≤ atol + rtol · |b|)",
    teaches: "A comparison and a reduction: two tensors are loaded and one value is stored.",
  },
  params: [tensor(["a", "input", "x"], "Left operand."), tensor(["b", "other", "y"], "Right operand."), ...CLOSENESS],
  build: (b, [left, right], attrs) =>
    b.op("all", "all", [buildClose(b, left!, right!, attrs)], { axes: null, keepdims: false }),
});
