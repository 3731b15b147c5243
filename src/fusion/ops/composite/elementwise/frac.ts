import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { buildTrunc } from "../../truncation";

export const frac = composite({
  name: "frac",
  doc: { formula: "x − trunc x", teaches: "The fraction with x's sign: exact, since both share their leading bits." },
  params: [ONE_TENSOR],
  build: (b, [x]) => b.op("fraction", "sub", [x!, buildTrunc(b, x!)]),
});
