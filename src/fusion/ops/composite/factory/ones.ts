import { composite } from "../../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../../dtypes";
import { constantOf, SIZES } from "../../factories";
import { numbersOf } from "../../shapes";

export const ones = composite({
  name: "ones",
  doc: { formula: "1 everywhere", teaches: "A literal in its readers' code; it is never stored." },
  params: [SIZES, optionalDtype("f32 when left out.")],
  check: (_inputs, attrs) => checkDtype(attrs),
  build: (b, _inputs, attrs) => constantOf(b, 1, numbersOf(attrs["shape"]), dtypeNamed(attrs) ?? "f32"),
});
