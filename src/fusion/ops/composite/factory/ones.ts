import { composite } from "../../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../../dtypes";
import { constantOf, SIZES } from "../../factories";
import { numbersOf } from "../../shapes";

export const ones = composite({
  name: "ones",
  doc: { formula: "1 everywhere", teaches: "A number in the text of its readers: it is never written to memory." },
  params: [SIZES, optionalDtype("f32 when left out.")],
  check: (_inputs, attrs) => checkDtype(attrs),
  build: (b, _inputs, attrs) => constantOf(b, 1, numbersOf(attrs["shape"]), dtypeNamed(attrs) ?? "f32"),
});
