/** @file Ops on the bits of whole numbers. */
import type { DType } from "../ir";
import type { Names, OpDef } from "./define";
import { elementwise, EXACT, tensor, type ElementwiseSpec } from "./families";
import { broadcastAll, fine, wrong } from "./shapes";
import { unsignedType } from "./wgsl";

const A = tensor(["a", "input", "x"], "Whole numbers.");
const B = tensor(["b", "other", "y"], "Whole numbers; broadcast against the left.");

/**
 * An op of one or two operands that are read as i32.
 * @param truths true and false are combined as such, and the result is one
 */
export function bitwise(operands: 1 | 2, spec: Omit<ElementwiseSpec, "operands">, truths = false): OpDef {
  const dtypeOf = (all: readonly DType[]): DType => (truths && all.every((dtype) => dtype === "bool") ? "bool" : "i32");
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
      return shape.ok ? fine({ dtype: dtypeOf(inputs.map(({ dtype }) => dtype)), shape: shape.value }) : shape;
    },
    operandTypes: (inputs) => inputs.map(() => dtypeOf(inputs)),
  };
}

/** A shift of whole numbers by as many bits as the second operand says, from 0 to 31. */
export const shift = (spec: Names & Pick<ElementwiseSpec, "name" | "doc"> & { readonly sign: "<<" | ">>" }): OpDef => {
  const { sign, ...rest } = spec;
  return bitwise(2, {
    ...rest,
    tolerance: EXACT,
    derivative: {},
    scalar: {
      js: ([a, b]) => (sign === "<<" ? a! << b! : a! >> b!),
      wgsl: ([a, b], _attrs, t) => `${a} ${sign} ${unsignedType(t)}(${b})`,
    },
  });
};
