import { composite } from "../compose";
import { buildEinsum, readEquation } from "../einsum";

export const einsum = composite({
  name: "einsum",
  oneDtypeInTorch: true,
  doc: {
    formula: "axes by letters: ij,jk->ik",
    teaches:
      "Letters that are missing from the result are summed. It is a matmul with transposes and reshapes, which cost no copy once fused.",
  },
  params: [
    { names: ["equation", "subscripts"], kind: "string", doc: "Axes of the operands, an arrow, axes of the result." },
    { names: ["tensors", "operands"], kind: "tensors", variadic: true, doc: "The operands, in order." },
  ],
  check(inputs, attrs) {
    const read = readEquation(
      String(attrs["equation"]),
      inputs.map((type) => type!.shape),
    );
    return read.ok ? null : read;
  },
  build(b, inputs, attrs) {
    const read = readEquation(
      String(attrs["equation"]),
      inputs.map((id) => b.typeOf(id!).shape),
    );
    return read.ok
      ? buildEinsum(
          b,
          inputs.map((id) => id!),
          read.value,
        )
      : inputs[0]!;
  },
});
