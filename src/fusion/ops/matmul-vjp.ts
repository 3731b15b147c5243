/** @file The derivative of matmul: two more matmuls. */
import { broadcastShapes, sameShape, sizeOf, type NodeId, type Shape } from "../ir";
import type { Derivative, DerivativeContext } from "./define";
import { sumTo } from "./derivatives";

const transposed = ({ typeOf, of }: DerivativeContext, id: NodeId): NodeId => {
  const rank = typeOf(id).shape.length;
  return of("transpose", [id], { perm: [...Array.from({ length: rank - 2 }, (_, i) => i), rank - 1, rank - 2] });
};

/** g·bᵀ for the left operand, aᵀ·g for the right one; rows of a batch that share one right operand are rows of one matrix. */
function matmulVjp(context: DerivativeContext, cotangent: NodeId, operand: number): NodeId {
  const { inputs, typeOf, of } = context;
  const [a, b] = inputs.map((id) => typeOf(id).shape) as [Shape, Shape];
  const as = (id: NodeId, shape: Shape): NodeId =>
    sameShape(typeOf(id).shape, shape) ? id : of("reshape", [id], { shape });
  const [left, right] = [a.length === 1 ? [1, ...a] : a, b.length === 1 ? [...b, 1] : b];
  const batch = broadcastShapes(left.slice(0, -2), right.slice(0, -2))!;
  const g = as(cotangent, [...batch, left.at(-2)!, right.at(-1)!]);
  if (operand === 0) return as(sumTo(context, of("matmul", [g, transposed(context, as(inputs[1]!, right))]), left), a);
  const x = as(inputs[0]!, left);
  if (right.length > 2 || left.length === 2)
    return as(sumTo(context, of("matmul", [transposed(context, x), g]), right), b);
  const rows = sizeOf(left.slice(0, -1));
  return as(of("matmul", [transposed(context, as(x, [rows, left.at(-1)!])), as(g, [rows, right.at(-1)!])]), b);
}

/** Each operand changes while the other stays. */
function matmulJvp({ inputs: [a, b], of }: DerivativeContext, [da, db]: readonly (NodeId | null)[]): NodeId {
  const terms = [...(da ? [of("matmul", [da, b!])] : []), ...(db ? [of("matmul", [a!, db])] : [])];
  return terms.length === 1 ? terms[0]! : of("add", terms);
}

export const matmulDerivative: Derivative = { vjp: matmulVjp, jvp: matmulJvp };
