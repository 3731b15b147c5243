import { composite } from "../../compose";
import { tensor } from "../../families";
import { buildTensordot, checkTensordot, pairedAxes } from "../../einsum";

export const tensordot = composite({
  name: "tensordot",
  oneDtypeInTorch: true,
  doc: {
    formula: "Σ over pairs of axes",
    teaches: "Paired axes are summed: a matmul with reshapes and transposes.",
  },
  params: [
    tensor(["a", "input"], "Left operand."),
    tensor(["b", "other"], "Right operand."),
    {
      names: ["dims", "axes"],
      kind: "ints",
      default: 2,
      nested: true,
      doc: "How many axes at the end of one and the beginning of the other; or a list of axes for each.",
    },
  ],
  check: ([left, right], attrs, names) =>
    checkTensordot(left!.shape, right!.shape, pairedAxes(attrs["dims"], left!.shape.length), names),
  build: (b, [left, right], attrs) =>
    buildTensordot(b, left!, right!, pairedAxes(attrs["dims"], b.typeOf(left!).shape.length)),
});
