import { type Shape } from "../../../ir";
import { composite } from "../../compose";
import { wrong } from "../../shapes";

/** An operand's shape with the axis that is joined. */
const atLeast = (shape: Shape): Shape =>
  shape.length < 3 ? [...(shape.length === 2 ? shape : [1, ...(shape.length === 0 ? [1] : shape)]), 1] : shape;

export const dstack = composite({
  name: "dstack",
  doc: {
    formula: "along the third axis",
    teaches:
      "Operands get the axis where they lack it, and are then concatenated. Fused into its reader, it is a choice by index.",
  },
  params: [{ names: ["tensors", "arrays", "tup"], kind: "tensors", doc: "The tensors, in order." }],
  check: (inputs) => (inputs.length > 0 ? null : wrong("bad-attr", "dstack needs at least one tensor.")),
  build(b, inputs) {
    const wide = inputs.map((id) => {
      const { shape } = b.typeOf(id!);
      const full = atLeast(shape);
      return full === shape ? id! : b.op("wide", "reshape", [id!], { shape: full });
    });
    return b.op("stacked", "concat", wide, { axis: 2 });
  },
});
