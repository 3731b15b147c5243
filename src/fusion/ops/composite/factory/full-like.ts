import { composite } from "../../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../../dtypes";
import { ONE_TENSOR, tensor } from "../../families";
import { filledWith } from "../../factories";

export const fullLike = composite({
  name: "full_like",
  doc: {
    formula: "value for every element of x",
    teaches:
      "Only the sizes of x are needed, and they are known in advance. x itself is not read, so no edge leads here.",
  },
  params: [ONE_TENSOR, tensor(["fill_value", "value"], "The value."), optionalDtype("x's when left out.")],
  check: (_inputs, attrs) => checkDtype(attrs),
  build(b, [x, value], attrs) {
    const { dtype, shape } = b.typeOf(x!);
    return filledWith(b, b.op("value", "cast", [value!], { dtype: dtypeNamed(attrs) ?? dtype }), shape);
  },
});
