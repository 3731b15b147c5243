/** @file Matrix products. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";

const swapped = (c: NodeContext, x: Value): Value => {
  const rank = x.type.shape.length;
  const perm = Array.from({ length: rank }, (_, i) => (i < rank - 2 ? i : 2 * rank - 3 - i));
  return c.op("transpose", [x], { perm });
};

const scaled = (c: NodeContext, x: Value, by: number): Value =>
  by === 1 ? x : c.op("mul", [x, c.emit.scalar(by, x.type.dtype)]);

export function gemm(c: NodeContext): Value {
  const a = c.int("transA", 0) ? swapped(c, c.in(0)) : c.in(0);
  const b = c.int("transB", 0) ? swapped(c, c.in(1)) : c.in(1);
  const product = scaled(c, c.op("matmul", [a, b]), c.float("alpha", 1));
  return c.maybe(2) ? c.op("add", [product, scaled(c, c.in(2), c.float("beta", 1))]) : product;
}

/** The result of an equation without an arrow: its letters in the order of the alphabet. */
const sorted = (letters: string): string => letters.split("").sort().join("");

/** An equation that leaves its one operand as it is makes nothing. */
function einsum(c: NodeContext): Value {
  const equation = c.text("equation", "");
  const [from, to] = equation.replaceAll(/\s/g, "").split("->");
  const idle = c.inputs.length === 1 && from === (to ?? sorted(from!)) && new Set(from).size === from!.length;
  return idle ? c.in(0) : c.op("einsum", c.inputs, { equation });
}

export const contractionRules: Rules = {
  MatMul: (c) => c.op("matmul", [c.in(0), c.in(1)]),
  Gemm: gemm,
  Einsum: einsum,
};
