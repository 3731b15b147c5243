import { composite } from "../../compose";
import { number, tensor } from "../../families";

export const addmm = composite({
  name: "addmm",
  oneDtypeInTorch: true,
  aliases: ["baddbmm", "addmv"],
  doc: {
    formula: "beta · x + alpha · (a @ b)",
    teaches: "The addition happens in the matmul's registers, so it needs no kernel.",
  },
  params: [
    tensor(["x", "input"], "What is added to the matmul."),
    tensor(["a", "mat1", "batch1", "mat"], "Left matrix."),
    tensor(["b", "mat2", "batch2", "vec"], "Right matrix."),
    number("beta", 1, "Scale of what is added."),
    number("alpha", 1, "Scale of the matmul."),
  ],
  build(b, [x, left, right], { beta, alpha }) {
    const matmul = b.op("matmul", "matmul", [left!, right!]);
    const { dtype } = b.typeOf(matmul);
    const scaled = Number(alpha) === 1 ? matmul : b.op("scaled", "mul", [matmul, b.scalar(Number(alpha), dtype)]);
    if (Number(beta) === 0) return scaled;
    const added = Number(beta) === 1 ? x! : b.op("added", "mul", [x!, b.scalar(Number(beta), dtype)]);
    return b.op("sum", "add", [added, scaled]);
  },
});
