import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildTriangle, checkTriangle, DIAGONAL } from "../triangle";

export const tril = composite({
  name: "tril",
  doc: {
    formula: "x on and below the diagonal",
    teaches: "The mask is two indices compared: it is never read from memory.",
  },
  params: [ONE_TENSOR, DIAGONAL],
  check: checkTriangle,
  build: (b, [x], { diagonal }) => buildTriangle(b, x!, "le", Number(diagonal)),
});
