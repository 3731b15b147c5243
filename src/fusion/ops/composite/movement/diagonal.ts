import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { buildDiagonal, checkDiagonal, DIAGONAL_AXES } from "../../diagonals";

export const diagonal = composite({
  name: "diagonal",
  doc: {
    formula: "x[i, i + offset]",
    teaches: "A strided slice of the flattened rows: one element in n + 1 is loaded.",
  },
  params: [ONE_TENSOR, ...DIAGONAL_AXES],
  check: checkDiagonal,
  build: (b, [x], attrs) => buildDiagonal(b, x!, attrs),
});
