/** @file Short names for what rules write often. */
import type { Value } from "../emit";
import type { NodeContext } from "../rule";

/** Longer lists are nothing that one node is written with. */
const MAX_LENGTH = 2 ** 24;

/** 0 … n − 1. Throws RangeError where a damaged model asks for more than memory holds; the reader words it. */
export function range(n: number): number[] {
  if (!(n <= MAX_LENGTH)) throw new RangeError(`a list of ${n} numbers`);
  return Array.from({ length: n }, (_, i) => i);
}

/** So many zeros, bounded likewise. */
export function zeros(n: number): Float64Array {
  if (!(n <= MAX_LENGTH)) throw new RangeError(`a table of ${n} numbers`);
  return new Float64Array(n);
}

/** Arithmetic of a node's f32 values; numbers are operands too. */
export function arithmetic(c: NodeContext) {
  const number = (x: Value | number): Value => (typeof x === "number" ? c.emit.scalar(x) : x);
  const op =
    (name: string) =>
    (...operands: (Value | number)[]): Value =>
      c.op(name, operands.map(number));
  return {
    add: op("add"),
    sub: op("sub"),
    mul: op("mul"),
    floor: op("floor"),
    low: op("minimum"),
    high: op("maximum"),
    abs: op("abs"),
    mod: op("mod"),
    lt: op("lt"),
    le: op("le"),
    gt: op("gt"),
    ge: op("ge"),
    and: op("and"),
    where: op("where"),
    round: op("round"),
  };
}

/** Known f32 numbers of a shape. */
export const table = (c: NodeContext, dims: readonly number[], data: readonly number[]): Value =>
  c.emit.host({ dtype: "f32", dims, data: Float64Array.from(data), wide: false });
