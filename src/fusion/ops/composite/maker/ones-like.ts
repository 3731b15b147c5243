import { composite } from "../../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../../dtypes";
import { ONE_TENSOR } from "../../families";
import { constantOf } from "../../making";

export const onesLike = composite({
  name: "ones_like",
  doc: {
    formula: "1 on every place of x",
    teaches:
      "Only x's sizes are asked for, and they are known before it runs: x itself is not read, so no edge leads here.",
  },
  params: [ONE_TENSOR, optionalDtype("x's when left out.")],
  check: (_inputs, attrs) => checkDtype(attrs),
  build(b, [x], attrs) {
    const { dtype, shape } = b.typeOf(x!);
    return constantOf(b, 1, shape, dtypeNamed(attrs) ?? dtype);
  },
});
