import { composite } from "../../compose";
import { number, tensor } from "../../families";

export const rsub = composite({
  name: "rsub",
  doc: { formula: "b − alpha · a", teaches: "A subtraction with its operands swapped." },
  params: [
    tensor(["a", "input", "x"], "Left operand."),
    tensor(["b", "other", "y"], "Right operand."),
    number("alpha", 1, "Scale of what is taken away."),
  ],
  build(b, [left, right], { alpha }) {
    const scaled =
      Number(alpha) === 1 ? left! : b.op("scaled", "mul", [left!, b.scalar(Number(alpha), b.typeOf(left!).dtype)]);
    return b.op("difference", "sub", [right!, scaled]);
  },
});
