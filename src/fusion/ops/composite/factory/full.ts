import { composite } from "../../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../../dtypes";
import { tensor } from "../../families";
import { filledWith } from "../../factories";
import { numbersOf } from "../../shapes";

export const full = composite({
  name: "full",
  doc: { formula: "value everywhere", teaches: "A literal in its readers' code; it is never stored." },
  params: [
    { names: ["shape", "size"], kind: "shape", doc: "Sizes of the result." },
    tensor(["fill_value", "value"], "The value."),
    optionalDtype("The value's when left out."),
  ],
  check: (_inputs, attrs) => checkDtype(attrs),
  build(b, [value], attrs) {
    const dtype = dtypeNamed(attrs);
    const meant = dtype === undefined ? value! : b.op("value", "cast", [value!], { dtype });
    return filledWith(b, meant, numbersOf(attrs["shape"]));
  },
});
