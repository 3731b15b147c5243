import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";

export const maskedFill = composite({
  name: "masked_fill",
  doc: {
    formula: "mask ? value : x",
    teaches: "A choice in registers; the mask costs a byte or four an element when it has to be read.",
  },
  params: [ONE_TENSOR, tensor(["mask"], "Where the value goes."), tensor(["value"], "What is put there.")],
  build(b, [x, mask, value]) {
    const { dtype } = b.typeOf(x!);
    const meant = b.typeOf(value!).dtype === dtype ? value! : b.op("value", "cast", [value!], { dtype });
    return b.op("filled", "where", [mask!, meant, x!]);
  },
});
