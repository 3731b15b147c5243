/** @file x + value · (a ∘ b): what the two statements of an optimiser share. */
import { composite, type CompositeSpec } from "./compose";
import type { CompositeDef } from "./define";
import { number, ONE_TENSOR, tensor } from "./families";

/** A composite that adds `value` times what `op` makes of two tensors. */
export const scaledSum = (
  { formula, ...names }: Pick<CompositeSpec, "name"> & { readonly formula: string },
  op: "mul" | "div",
): CompositeDef =>
  composite({
    ...names,
    doc: {
      formula,
      teaches: "A common step of optimisers. As three kernels it would store and load two more tensors.",
    },
    params: [
      ONE_TENSOR,
      tensor(["tensor1", "t1"], "Left factor."),
      tensor(["tensor2", "t2"], "Right factor, or divisor."),
      number("value", 1, "Scale of what is added."),
    ],
    build(b, [x, left, right], { value }) {
      const both = b.op("both", op, [left!, right!]);
      const scaled =
        Number(value) === 1 ? both : b.op("scaled", "mul", [both, b.scalar(Number(value), b.typeOf(both).dtype)]);
      return b.op("sum", "add", [x!, scaled]);
    },
  });
