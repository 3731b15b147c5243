import { composite } from "../../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../../dtypes";
import { ONE_TENSOR } from "../../families";
import { constantOf, SIZES } from "../../factories";
import { numbersOf } from "../../shapes";

export const newZeros = composite({
  name: "new_zeros",
  aliases: ["new_empty"],
  doc: { formula: "0 everywhere, of x's dtype", teaches: "Only x's dtype is used; x is not loaded." },
  params: [ONE_TENSOR, SIZES, optionalDtype("x's when left out.")],
  check: (_inputs, attrs) => checkDtype(attrs),
  build: (b, [x], attrs) => constantOf(b, 0, numbersOf(attrs["shape"]), dtypeNamed(attrs) ?? b.typeOf(x!).dtype),
});
