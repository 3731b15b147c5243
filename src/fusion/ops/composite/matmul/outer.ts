import { sizeOf } from "../../../ir";
import { composite } from "../../compose";
import { tensor } from "../../families";

export const outer = composite({
  name: "outer",
  aliases: ["ger"],
  keeps: "truths",
  doc: {
    formula: "a[i] · b[j]",
    teaches: "One multiplication per element and no sum, so memory sets its time.",
  },
  params: [tensor(["a", "input", "x"], "Left operand."), tensor(["b", "other", "y"], "Right operand.")],
  build(b, [left, right]) {
    const column = b.op("column", "reshape", [left!], { shape: [sizeOf(b.typeOf(left!).shape), 1] });
    const row = b.op("row", "reshape", [right!], { shape: [sizeOf(b.typeOf(right!).shape)] });
    return b.op("outer", "mul", [column, row]);
  },
});
