/** @file What makes a tensor of nothing but numbers in the text: one value everywhere, or a rule of the index. */
import type { DType, NodeId, Shape } from "../ir";
import { composite, type CompositeSpec } from "./compose";
import type { CompositeDef, GraphBuilder, Param } from "./define";
import { checkDtype, dtypeNamed, optionalDtype } from "./dtypes";
import { ONE_TENSOR } from "./families";
import { along } from "./linear-indices";

export const SIZES: Param = {
  names: ["shape", "size"],
  kind: "shape",
  variadic: true,
  doc: "Sizes of the result; an input is declared by its type instead, x: f32[4, 8].",
};

/** `value` in every element of `shape`. */
export const filledWith = (b: GraphBuilder, value: NodeId, shape: Shape): NodeId =>
  b.op("filled", "expand", [value], { shape });

/** A number of the text in every element of `shape`. */
export const constantOf = (b: GraphBuilder, value: number, shape: Shape, dtype: DType): NodeId =>
  filledWith(b, b.scalar(value, dtype), shape);

/** A composite that fills x's sizes with one number, in x's dtype unless another is asked for. */
export const filledLike = (
  spec: Pick<CompositeSpec, "name" | "aliases"> & { readonly formula: string },
  value: number,
): CompositeDef => {
  const { formula, ...names } = spec;
  const teaches =
    "Only the sizes of x are needed, and they are known in advance. x itself is not read, so no edge leads here.";
  return composite({
    ...names,
    doc: { formula, teaches },
    params: [ONE_TENSOR, optionalDtype("x's when left out.")],
    check: (_inputs, attrs) => checkDtype(attrs),
    build(b, [x], attrs) {
      const { dtype, shape } = b.typeOf(x!);
      return constantOf(b, value, shape, dtypeNamed(attrs) ?? dtype);
    },
  });
};

/** true on the diagonal `offset` of rows × columns. */
export function diagonalMask(b: GraphBuilder, rows: number, columns: number, offset: number): NodeId {
  const across = along(b, "column", columns, 1, 1, 2);
  const down = along(b, "row", rows, 1, 0, 2);
  const wanted = offset === 0 ? down : b.op("wanted", "add", [down, b.scalar(offset, "i32")]);
  return b.op("diagonal", "eq", [across, wanted]);
}
