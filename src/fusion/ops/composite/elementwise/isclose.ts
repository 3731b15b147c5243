import { composite } from "../../compose";
import { tensor } from "../../families";
import { buildClose, CLOSENESS } from "../../isclose";

export const isclose = composite({
  name: "isclose",
  doc: {
    formula: "|a − b| ≤ atol + rtol · |b|",
    teaches: "The bound grows with b alone, so the operands may not be swapped.",
  },
  params: [tensor(["a", "input", "x"], "Left operand."), tensor(["b", "other", "y"], "Right operand."), ...CLOSENESS],
  build: (b, [left, right], attrs) => buildClose(b, left!, right!, attrs),
});
