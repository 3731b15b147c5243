import { type NodeId } from "../../../ir";
import { composite } from "../../compose";
import { number, tensor } from "../../families";
import { normalAxis, numberOf } from "../../shapes";

export const cosineSimilarity = composite({
  name: "cosine_similarity",
  doc: {
    formula: "Σ a b / (max(|a|, eps) · max(|b|, eps))",
    teaches: "Three sums in one pass: each of the two tensors is loaded once.",
  },
  params: [
    tensor(["a", "x1", "input"], "Left vectors."),
    tensor(["b", "x2", "other"], "Right vectors."),
    { names: ["dim", "axis"], kind: "axis", default: 1, doc: "The axis of the vectors." },
    number("eps", 1e-8, "Smallest norm to divide by."),
  ],
  build(b, [left, right], { dim, eps }) {
    const product = b.op("product", "mul", [left!, right!]);
    const { dtype, shape } = b.typeOf(product);
    const fold = { axes: [normalAxis(numberOf(dim, 1), shape.length)], keepdims: false };
    const size = (part: string, of: NodeId) => {
      const wide = b.typeOf(of).shape.join() === shape.join() ? of : b.op(`${part}_wide`, "expand", [of], { shape });
      return b.op(part, "maximum", [b.op(`${part}_norm`, "l2_norm", [wide], fold), b.scalar(Number(eps), dtype)]);
    };
    return b.op("cosine", "div", [
      b.op("sum", "sum", [product], fold),
      b.op("sizes", "mul", [size("left", left!), size("right", right!)]),
    ]);
  },
});
