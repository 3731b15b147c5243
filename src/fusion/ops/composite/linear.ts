import { showShape } from "../../ir";
import { composite, optional } from "../compose";
import { tensor } from "../families";
import { saySizes, wrong } from "../shapes";

export const linear = composite({
  name: "linear",
  oneDtypeInTorch: true,
  doc: {
    formula: "x @ weightᵀ + bias",
    teaches: "The transpose only changes how the weight is read; the bias is added in registers.",
  },
  params: [
    tensor(["x", "input"], "Rows of features."),
    tensor(["weight", "w"], "One row for each output feature, as PyTorch stores it."),
    optional(["bias", "b"], "One number for each output feature."),
  ],
  check([x, weight, bias], _attrs, names) {
    const [rows, columns] = [weight!.shape.at(-2) ?? 1, weight!.shape.at(-1)];
    if (weight!.shape.length < 1 || weight!.shape.length > 2) {
      return wrong("shape-mismatch", `${names[1]} is ${showShape(weight!.shape)}: a linear layer's weight is out×in.`);
    }
    const sizes = saySizes(names, [x!.shape, weight!.shape]);
    if (x!.shape.at(-1) !== columns) {
      const hint =
        x!.shape.at(-1) === rows && weight!.shape.length === 2
          ? `; did you mean ${names[1]}.T?`
          : "; the weight is out×in.";
      return wrong(
        "shape-mismatch",
        `${sizes}: the inner sizes ${x!.shape.at(-1) ?? "of a scalar"} and ${columns} differ${hint}`,
      );
    }
    if (!bias || bias.shape.length === 0 || bias.shape.at(-1) === rows || bias.shape.at(-1) === 1) return null;
    return wrong(
      "shape-mismatch",
      `${names[1]} is ${showShape(weight!.shape)}, ${names[2]} is ${showShape(bias.shape)}: the bias needs one number for each of the ${rows} outputs.`,
    );
  },
  build(b, [x, weight, bias]) {
    const transposed =
      b.typeOf(weight!).shape.length === 2
        ? b.op("transposed", "transpose", [weight!], { perm: [1, 0], dim1: null })
        : weight!;
    const matmul = b.op("matmul", "matmul", [x!, transposed]);
    return bias ? b.op("biased", "add", [matmul, bias]) : matmul;
  },
});
