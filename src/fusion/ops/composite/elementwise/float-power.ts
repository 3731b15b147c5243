import { type NodeId } from "../../../ir";
import { composite } from "../../compose";
import { tensor } from "../../families";

export const floatPower = composite({
  name: "float_power",
  doc: {
    formula: "aᵇ in floating point",
    teaches: "Whole numbers are widened first, so that a negative power is no integer division.",
  },
  params: [tensor(["a", "input", "x"], "Left operand."), tensor(["b", "other", "y"], "Right operand.")],
  build(b, [left, right]) {
    const wide = (part: string, id: NodeId) =>
      b.typeOf(id).dtype === "f32" ? id : b.op(part, "cast", [id], { dtype: "f32" });
    return b.op("power", "pow", [wide("base", left!), wide("exponent", right!)]);
  },
});
