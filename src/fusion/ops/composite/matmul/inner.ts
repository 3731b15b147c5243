import { composite } from "../../compose";
import { tensor } from "../../families";
import { buildTensordot, checkTensordot } from "../../einsum";

export const inner = composite({
  name: "inner",
  oneDtypeInTorch: true,
  doc: { formula: "Σ a[…, k] · b[…, k]", teaches: "A matmul whose right operand is read along its rows." },
  params: [tensor(["a", "input"], "Left operand."), tensor(["b", "other"], "Right operand.")],
  check: ([left, right], _attrs, names) => checkTensordot(left!.shape, right!.shape, [-1, -1], names),
  build: (b, [left, right]) => buildTensordot(b, left!, right!, [-1, -1]),
});
