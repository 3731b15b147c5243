import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildTriangle, checkTriangle, DIAGONAL } from "../triangle";

export const triu = composite({
  name: "triu",
  doc: {
    formula: "x on and above the diagonal",
    teaches: "The mask is a comparison of two indices, so it is never loaded.",
  },
  params: [ONE_TENSOR, DIAGONAL],
  check: checkTriangle,
  build: (b, [x], { diagonal }) => buildTriangle(b, x!, "ge", Number(diagonal)),
});
