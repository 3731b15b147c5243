import { composite } from "../../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../../dtypes";
import { ONE_TENSOR, tensor } from "../../families";
import { filledWith } from "../../factories";
import { numbersOf } from "../../shapes";

export const newFull = composite({
  name: "new_full",
  doc: { formula: "value everywhere, of x's dtype", teaches: "Only x's dtype is used; x is not loaded." },
  params: [
    ONE_TENSOR,
    { names: ["shape", "size"], kind: "shape", doc: "Sizes of the result." },
    tensor(["fill_value", "value"], "The value."),
    optionalDtype("x's when left out."),
  ],
  check: (_inputs, attrs) => checkDtype(attrs),
  build(b, [x, value], attrs) {
    const dtype = dtypeNamed(attrs) ?? b.typeOf(x!).dtype;
    return filledWith(b, b.op("value", "cast", [value!], { dtype }), numbersOf(attrs["shape"]));
  },
});
