/** @file Reductions, scans and windows that are folded. */
import { sizeOf, type DType } from "../../../fusion";
import type { Value } from "../../onnx/emit";
import type { Jaxpr } from "../jaxpr";
import type { Equation, Rule, Rules } from "../rule";
import { spread } from "./shape";

/** Elements that a program is written out for: each step of it reads what all steps before made. */
const MAX_FOLDED = 16;

/** A fold of ours, what joins two of its operands, and what it begins with. */
interface Fold {
  readonly fold: string;
  readonly join: string;
  readonly start: (dtype: DType) => number;
}
const [LOWEST, HIGHEST] = [-(2 ** 31), 2 ** 31 - 1];
const FOLDS: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  ["sum", { fold: "sum", join: "add", start: () => 0 }],
  ["add", { fold: "sum", join: "add", start: () => 0 }],
  ["prod", { fold: "prod", join: "mul", start: () => 1 }],
  ["mul", { fold: "prod", join: "mul", start: () => 1 }],
  ["max", { fold: "max", join: "maximum", start: (dtype) => (dtype === "i32" ? LOWEST : -Infinity) }],
  ["min", { fold: "min", join: "minimum", start: (dtype) => (dtype === "i32" ? HIGHEST : Infinity) }],
  ["and", { fold: "all", join: "and", start: () => 1 }],
  ["or", { fold: "any", join: "or", start: () => 0 }],
]);

const reduction =
  (name: string): Rule =>
  (c) =>
    c.op(FOLDS.get(name)!.fold, [c.in(0)], { axes: c.list("axes") });

/** The index of the first extreme along one axis. */
const argFold =
  (op: string): Rule =>
  (c) =>
    c.op(op, [c.in(0)], { axis: c.list("axes")[0]! });

const scan =
  (op: string): Rule =>
  (c) =>
    c.op(op, [c.in(0)], { axis: c.number("axis", 0), reverse: c.flag("reverse") });

/** The fold that result `i` of a program is: one equation, which joins what that operand has been so far with its next element. */
function foldOf(body: Jaxpr, i = 0): Fold | null {
  const made = body.eqns.find(({ out }) => out[0]?.name === body.out[i]);
  const [mine, next] = [body.in[i], body.in[i + body.in.length / 2]];
  const joins = made?.in.length === 2 && made.in.includes(mine!.name) && made.in.includes(next!.name);
  return joins && mine !== next ? (FOLDS.get(made.prim) ?? null) : null;
}

/** Several operands folded by a program: each by itself where none looks at another, else halves are joined, so that a row takes log₂ steps. */
function reduce(c: Equation): Value | readonly Value[] {
  const body = c.program("jaxpr");
  if (!body) return c.fail("a fold without its program");
  const count = c.args.length / 2;
  const [values, starts] = [c.args.slice(0, count), c.args.slice(count)];
  const axes = c.list("dimensions");
  const own = values.flatMap((_, i) => foldOf(body, i) ?? []);
  if (own.length === count)
    return own.map(({ fold, join }, i) => c.op(join, [c.op(fold, [values[i]!], { axes }), starts[i]!]));
  const { shape } = values[0]!.type;
  const outerAxes = shape.flatMap((_, axis) => (axes.includes(axis) ? [] : [axis]));
  const outer = outerAxes.map((axis) => shape[axis]!);
  let extent = sizeOf(axes.map((axis) => shape[axis]!));
  const wide = starts.map((start) => c.op("expand", [start], { shape: outer }));
  if (extent === 0) return wide;
  if (extent > MAX_FOLDED) return c.fail(`a program of its own over ${extent} elements`);
  let rows = values.map((value) => c.reshape(c.permute(value, [...outerAxes, ...axes]), [...outer, extent]));
  const last = outer.length;
  while (extent > 1) {
    const half = extent >> 1;
    const part = (from: number, to: number): Value[] => rows.map((row) => c.slice(row, last, from, to));
    const joined = c.inline(body, [...part(0, half), ...part(half, 2 * half)]);
    rows =
      extent % 2 === 0
        ? [...joined]
        : joined.map((row, i) => c.op("concat", [row, part(2 * half, extent)[i]!], { axis: last }));
    extent -= half;
  }
  return c.inline(body, [...wide, ...rows.map((row) => c.reshape(row, outer))]);
}

/** Windows over any axes: those that only step through an axis one by one are left out. */
function windowed(c: Equation, x: Value, fold: Fold, fill: number): Value {
  const sizes = c.list("window_dimensions");
  const ones = sizes.map(() => 1);
  const each = (name: string): readonly number[] => (c.has(name) ? c.list(name) : ones);
  const [strides, base, dilation] = [each("window_strides"), each("base_dilation"), each("window_dilation")];
  const padding = c.tuples("padding");
  const { shape } = c.out[0]!;
  if (sizeOf(shape) === 0 || sizeOf(x.type.shape) === 0) return c.filled(fill, shape, x.type.dtype);
  const around = padding.map(([low = 0, high = 0]) => ({ low, high, between: 0 }));
  const open = sizes.flatMap((size, axis) => (size > 1 || strides[axis]! > 1 || base[axis]! > 1 ? [axis] : []));
  if (base.every((by) => by === 1) && open.length === 0) return spread(c, x, around, fill);
  const closed = sizes.flatMap((_, axis) => (open.includes(axis) ? [] : [axis]));
  // Axes without a window may still have a border.
  const bordered = spread(
    c,
    x,
    around.map((side, axis) => (open.includes(axis) ? { low: 0, high: 0, between: 0 } : side)),
    fill,
  );
  const perm = [...closed, ...open];
  const windows = c.op("window", [c.permute(bordered, perm)], {
    kernel_size: open.map((axis) => sizes[axis]!),
    stride: open.map((axis) => strides[axis]!),
    dilation: open.map((axis) => dilation[axis]!),
    interior: open.map((axis) => base[axis]!),
    padding: [...open.map((axis) => around[axis]!.low), ...open.map((axis) => around[axis]!.high)],
    value: fill,
  });
  const folded = c.op(fold.fold, [windows], { axes: open.map((_, i) => closed.length + i) });
  return c.permute(
    folded,
    perm.map((_, axis) => perm.indexOf(axis)),
  );
}

const reduceWindowOf =
  (name: string): Rule =>
  (c) => {
    const fold = FOLDS.get(name)!;
    return windowed(c, c.in(0), fold, fold.start(c.in(0).type.dtype));
  };

/** What lies outside counts as the start, which every window is joined with. */
function reduceWindow(c: Equation): Value {
  const body = c.program("jaxpr");
  const fold = body && c.args.length === 2 ? foldOf(body) : null;
  const start = c.known(1)?.[0];
  if (!fold || start === undefined) return c.fail("windows folded by a program of their own");
  const found = windowed(c, c.in(0), fold, start);
  return start === fold.start(c.in(0).type.dtype) ? found : c.op(fold.join, [found, c.in(1)]);
}

export const folds: Rules = {
  argmax: argFold("argmax"),
  argmin: argFold("argmin"),
  cummax: scan("cummax"),
  cummin: scan("cummin"),
  cumprod: scan("cumprod"),
  cumlogsumexp: scan("logcumsumexp"),
  cumsum: scan("cumsum"),
  reduce,
  reduce_and: reduction("and"),
  reduce_max: reduction("max"),
  reduce_min: reduction("min"),
  reduce_or: reduction("or"),
  reduce_prod: reduction("prod"),
  reduce_sum: reduction("sum"),
  reduce_window: reduceWindow,
  reduce_window_max: reduceWindowOf("max"),
  reduce_window_min: reduceWindowOf("min"),
  reduce_window_sum: reduceWindowOf("sum"),
};
