/** @file Ops on the bits of whole numbers. */
import type { OpDef } from "./define";
import { elementwise, tensor, type ElementwiseSpec } from "./families";
import { broadcastAll, fine, wrong } from "./shapes";

const A = tensor(["a", "input", "x"], "Whole numbers.");
const B = tensor(["b", "other", "y"], "Whole numbers; broadcast against the left.");

/** An op of one or two operands that are read as i32, whatever they are. */
export function bitwise(operands: 1 | 2, spec: Omit<ElementwiseSpec, "operands">): OpDef {
  return {
    ...elementwise({ ...spec, operands: operands === 1 ? [A] : [A, B] }),
    infer(inputs, _attrs, names = ["a", "b"]) {
      const odd = inputs.findIndex(({ dtype }) => dtype === "f32" || dtype === "f16");
      if (odd >= 0)
        return wrong(
          "dtype",
          `${names[odd] ?? "The operand"} is ${inputs[odd]!.dtype}: only whole numbers have bits to combine.`,
        );
      const shape = broadcastAll(inputs, names);
      return shape.ok ? fine({ dtype: "i32", shape: shape.value }) : shape;
    },
    operandTypes: (inputs) => inputs.map(() => "i32"),
  };
}
