import { composite } from "../../compose";
import { tensor } from "../../families";

export const fmod = composite({
  name: "fmod",
  jax: ["rem"],
  aliases: ["rem"],
  doc: { formula: "a − b · trunc(a / b)", teaches: "C's remainder: it takes the sign of a, Python's takes that of b." },
  params: [tensor(["a", "input", "x"], "Left operand."), tensor(["b", "other", "y"], "Right operand.")],
  build(b, [left, right]) {
    const rest = b.op("rest", "mod", [b.op("size", "abs", [left!]), b.op("step", "abs", [right!])]);
    const negative = b.op("negative", "lt", [left!, b.scalar(0, b.typeOf(left!).dtype)]);
    return b.op("signed", "where", [negative, b.op("negated", "neg", [rest]), rest]);
  },
});
