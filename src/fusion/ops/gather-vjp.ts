/** @file The derivative of loads from indices that are data: sums at those indices. */
import { sizeOf, type NodeId } from "../ir";
import type { DerivativeContext } from "./define";
import { indexAlong } from "./linear-indices";
import { normalAxis, numberOf } from "./shapes";

/** Every element gets the sum of what was read from it. */
export function gatherVjp(context: DerivativeContext, cotangent: NodeId, operand: number): NodeId | null {
  if (operand === 1) return null;
  const along = alongItsRows(context, cotangent);
  if (along !== null) return along;
  const {
    inputs: [x, index],
    attrs,
    typeOf,
    of,
  } = context;
  const { shape } = typeOf(x!);
  const axis = normalAxis(numberOf(attrs["axis"], 0), shape.length);
  const count = sizeOf(typeOf(index!).shape);
  const rows = shape.map((extent, i) => (i === axis ? count : extent));
  const inside = of("clamp", [of("reshape", [index!], { shape: shape.map((_, i) => (i === axis ? count : 1)) })], {
    min: 0,
    max: shape[axis]! - 1,
  });
  const indices = of("expand", [inside], { shape: rows });
  return of("scatter_add", [of("expand", [0], { shape }), indices, of("reshape", [cotangent], { shape: rows })], {
    axis,
  });
}

/** Where each index names an element of its own row, the sums stay within rows; null for any other indices. */
function alongItsRows({ inputs, node, typeOf, of }: DerivativeContext, cotangent: NodeId): NodeId | null {
  const [flat, indices] = [inputs[0]!, inputs[1]!];
  const { op, inputs: shown, type } = node(flat);
  if (op !== "reshape" || type.shape.length !== 1) return null;
  const { shape } = typeOf(shown[0]!);
  for (const axis of shape.keys()) {
    const index = indexAlong(node, indices, shape, axis);
    if (index === null) continue;
    const sums = of("scatter_add", [of("expand", [0], { shape }), index, cotangent], { axis });
    return of("reshape", [sums], { shape: type.shape });
  }
  return null;
}
