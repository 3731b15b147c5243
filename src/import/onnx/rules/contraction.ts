/** @file Matrix products and determinants. */
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { range } from "./arithmetic";

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
  const beta = c.float("beta", 1);
  return c.maybe(2) ? c.op("add", [product, scaled(c, c.in(2), beta)]) : product;
}

/** The result of an equation without an arrow: its letters in the order of the alphabet. */
const sorted = (letters: string): string => letters.split("").sort().join("");

/** An equation that leaves its one operand as it is makes nothing. */
function einsum(c: NodeContext): Value {
  const equation = c.text("equation", "");
  const [from, to] = equation.replaceAll(/\s/g, "").replaceAll("...", ".").split("->");
  const idle = c.inputs.length === 1 && from === (to ?? sorted(from!)) && new Set(from).size === from!.length;
  return idle ? c.in(0) : c.op("einsum", c.inputs, { equation });
}

/** Beyond this size the minors are too many. */
const MAX_MINORS = 12;

/** Ascending choices of `count` among `size` columns. */
function choices(size: number, count: number): number[][] {
  let all: number[][] = [[]];
  for (let taken = 0; taken < count; taken++)
    all = all.flatMap((chosen) =>
      range(size)
        .filter((at) => at > (chosen.at(-1) ?? -1))
        .map((at) => [...chosen, at]),
    );
  return all;
}

/**
 * Determinants of [‥, n, n] without a division: the minors of the first k + 1 rows, for every choice of columns, are sums of
 * elements of row k times minors of the rows before.
 */
function determinant(c: NodeContext): Value {
  const x = c.in(0);
  const { shape, dtype } = x.type;
  const size = shape.at(-1) ?? 0;
  const outer = shape.slice(0, -2);
  if (size < 1 || shape.at(-2) !== size) return c.fail("a determinant of what is not square");
  if (size > MAX_MINORS) return c.fail(`a determinant of ${size} rows`);
  const rows = outer.length;
  const row = (k: number): Value =>
    c.reshape(c.op("slice", [x], { start: [k], stop: [k + 1], axes: [rows] }), [...outer, size]);
  let minors = row(0);
  for (const k of range(size).slice(1)) {
    const before = new Map(choices(size, k).map((columns, at) => [columns.join(), at]));
    const now = choices(size, k + 1);
    const known = (kind: "i32" | typeof dtype, of: (columns: readonly number[], at: number) => number): Value =>
      c.emit.host({
        dtype: kind,
        dims: [now.length, k + 1],
        data: Float64Array.from(now.flatMap((columns) => range(k + 1).map((at) => of(columns, at)))),
        wide: false,
      });
    const own = c.op("gather", [row(k), known("i32", (columns, at) => columns[at]!)], { axis: rows });
    const rest = known("i32", (columns, at) => before.get(columns.toSpliced(at, 1).join())!);
    const signed = c.op("mul", [own, known(dtype, (_, at) => ((k + at) % 2 === 0 ? 1 : -1))]);
    const terms = c.op("mul", [signed, c.op("gather", [minors, rest], { axis: rows })]);
    minors = c.op("sum", [terms], { axes: [rows + 1], keepdims: false });
  }
  return c.reshape(minors, outer);
}

export const contractionRules: Rules = {
  MatMul: (c) => c.op("matmul", [c.in(0), c.in(1)]),
  Gemm: gemm,
  Einsum: einsum,
  Det: determinant,
};
