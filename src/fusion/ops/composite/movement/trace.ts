import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { buildDiagonal, checkDiagonal, DIAGONAL_AXES } from "../../diagonals";

export const trace = composite({
  name: "trace",
  doc: { formula: "Σ x[i, i]", teaches: "Only the diagonal is read: one element in n + 1." },
  params: [ONE_TENSOR, ...DIAGONAL_AXES],
  check: checkDiagonal,
  build: (b, [x], attrs) => b.op("sum", "sum", [buildDiagonal(b, x!, attrs)], { axes: [-1], keepdims: false }),
});
