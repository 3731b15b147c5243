import { composite } from "../../compose";
import { number, ONE_TENSOR, tensor } from "../../families";

export const addcdiv = composite({
  name: "addcdiv",
  doc: {
    formula: "x + value · a / b",
    teaches: "One statement of an optimiser: as three ops it would write two tensors only to read them again.",
  },
  params: [
    ONE_TENSOR,
    tensor(["tensor1", "t1"], "Left factor."),
    tensor(["tensor2", "t2"], "Right factor, or divisor."),
    number("value", 1, "Scale of what is added."),
  ],
  build(b, [x, left, right], { value }) {
    const both = b.op("both", "div", [left!, right!]);
    const scaled =
      Number(value) === 1 ? both : b.op("scaled", "mul", [both, b.scalar(Number(value), b.typeOf(both).dtype)]);
    return b.op("sum", "add", [x!, scaled]);
  },
});
