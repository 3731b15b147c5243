import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";

export const heaviside = composite({
  name: "heaviside",
  doc: { formula: "0 below 0, 1 above, value at 0", teaches: "Two tests and a choice." },
  params: [ONE_TENSOR, tensor(["values", "value"], "What stands where x is 0.")],
  build(b, [x, values]) {
    const { dtype } = b.typeOf(x!);
    const zero = b.scalar(0, dtype);
    const step = b.op("step", "cast", [b.op("above", "gt", [x!, zero])], { dtype });
    return b.op("chosen", "where", [b.op("at", "eq", [x!, zero]), values!, step]);
  },
});
