/** @file Which ops never reverse an order, and which leave zeros where they are: what a maximum may be exchanged with. */
import { type Graph, literalOf, node, type Node, type NodeId, sameShape, sizeOf } from "../ir";
import { numberOf, opDef } from "../ops";
import { isFreeView } from "../region";

/** `up`: never decreases. `down`: never increases. `exact`: so does its rounded value, on any machine. */
export interface Monotone {
  readonly way: "up" | "down";
  readonly exact: boolean;
  /** Which operand runs along the row. */
  readonly operand: number;
}

const UP_EXACT: ReadonlySet<string> = new Set([
  "relu",
  "floor",
  "ceil",
  "round",
  "sign",
  "clamp",
  "identity",
  "stop_gradient",
  "hard_sigmoid",
]);
/** Non-decreasing as functions; a machine's approximation may dip by a last bit. */
const UP: ReadonlySet<string> = new Set([
  "exp",
  "exp2",
  "expm1",
  "tanh",
  "sigmoid",
  "softplus",
  "erf",
  "atan",
  "sinh",
  "softsign",
  "selu",
  "asin",
]);
/** Non-decreasing where their parameter is not negative. */
const UP_BY_PARAMETER: ReadonlyMap<string, readonly [name: string, usual: number]> = new Map([
  ["leaky_relu", ["negative_slope", 0.01]],
  ["elu", ["alpha", 1]],
  ["celu", ["alpha", 1]],
]);
const DOWN: ReadonlySet<string> = new Set(["acos"]);
/** Non-increasing where the operand is positive. */
const DOWN_ABOVE_ZERO: ReadonlySet<string> = new Set(["reciprocal", "rsqrt"]);
const POSITIVE: ReadonlySet<string> = new Set(["exp", "exp2", "sigmoid", "softplus"]);
/** 0 stays 0: a mask of zeros and ones may be applied before these as well as after. */
const KEEPS_ZERO: ReadonlySet<string> = new Set([
  "relu",
  "floor",
  "ceil",
  "round",
  "sign",
  "expm1",
  "tanh",
  "erf",
  "atan",
  "asin",
  "sinh",
  "softsign",
  "selu",
  "elu",
  "celu",
  "leaky_relu",
  "log1p",
  "sqrt",
  "square",
  "identity",
]);
/** The same where the operand is not negative. */
const UP_ABOVE_ZERO: ReadonlySet<string> = new Set(["log", "log2", "log1p", "sqrt", "square"]);
const NOT_NEGATIVE: ReadonlySet<string> = new Set([
  "relu",
  "exp",
  "exp2",
  "sigmoid",
  "abs",
  "square",
  "softplus",
  "sqrt",
]);

const own = (graph: Graph, { inputs }: Node, ops: ReadonlySet<string>): boolean => ops.has(node(graph, inputs[0]!).op);

/** A function of one value, whatever it is folded by. */
function ofOne(graph: Graph, n: Node): Monotone | null {
  const is = (way: Monotone["way"], exact: boolean): Monotone => ({ way, exact, operand: 0 });
  if (UP_EXACT.has(n.op)) return is("up", true);
  if (UP.has(n.op)) return is("up", false);
  const parameter = UP_BY_PARAMETER.get(n.op);
  if (parameter) return numberOf(n.attrs[parameter[0]], parameter[1]) >= 0 ? is("up", n.op === "leaky_relu") : null;
  if (UP_ABOVE_ZERO.has(n.op) && isNotNegative(graph, n.inputs[0]!))
    return is("up", n.op === "square" || n.op === "sqrt");
  if (n.op === "neg") return is("down", true);
  if (DOWN.has(n.op) || (DOWN_ABOVE_ZERO.has(n.op) && own(graph, n, POSITIVE))) return is("down", false);
  // Rounding to another type never reverses an order; a truth value has none.
  const [from, to] = [node(graph, n.inputs[0]!).type.dtype, n.type.dtype];
  return n.op === "cast" && from !== "bool" && to !== "bool" ? is("up", true) : null;
}

/** By its own op, or by one before it that keeps the sign. */
function isNotNegative(graph: Graph, id: NodeId): boolean {
  let n = node(graph, id);
  while (KEEPS_ZERO.has(n.op) && !NOT_NEGATIVE.has(n.op)) n = node(graph, n.inputs[0]!);
  return NOT_NEGATIVE.has(n.op);
}

/** Zeros and ones: a truth value as a number, seen behind views and broadcasts. */
function isMask(graph: Graph, id: NodeId): boolean {
  let n = node(graph, id);
  while (isFreeView(n) || n.op === "expand") n = node(graph, n.inputs[0]!);
  return n.op === "cast" && node(graph, n.inputs[0]!).type.dtype === "bool";
}

/**
 * Which operand of `n`, a mask applied to φ(x), is φ(x): then the mask may be applied to x instead. By a product with zeros and
 * ones, or by a choice between φ(x) and 0. Null where `n` is none or φ moves 0.
 */
export function maskedOperand(graph: Graph, n: Node): number | null {
  const [a, b, c] = n.inputs;
  const zero = (id: NodeId | undefined): boolean => id !== undefined && literalOf(graph, id) === 0;
  const candidates =
    n.op === "mul"
      ? [isMask(graph, b!) ? 0 : -1, isMask(graph, a!) ? 1 : -1]
      : n.op === "where"
        ? [zero(c) ? 1 : -1, zero(b) ? 2 : -1]
        : [];
  const at = candidates.find((operand) => operand >= 0);
  if (at === undefined) return null;
  const inner = node(graph, n.inputs[at]!);
  const way = KEEPS_ZERO.has(inner.op) && inner.inputs.length === 1 ? ofOne(graph, inner) : null;
  const fits = way?.way === "up" && inner.type.dtype === "f32" && sameShape(inner.type.shape, n.type.shape);
  return fits ? at : null;
}

/** How `n` runs with one of its operands; null when it is not monotone. */
export function monotone(graph: Graph, n: Node, fold: Node): Monotone | null {
  if (n.inputs.length === 1) return ofOne(graph, n);
  if (n.inputs.length !== 2) return null;
  const operand = [0, 1].find((at) => alongRow(graph, n, at, fold) && sameForRow(graph, n, 1 - at, fold));
  if (operand === undefined) return null;
  const other = n.inputs[1 - operand]!;
  switch (n.op) {
    case "add":
    case "maximum":
    case "minimum":
      return { way: "up", exact: true, operand };
    case "sub":
      return { way: operand === 0 ? "up" : "down", exact: true, operand };
    case "mul":
    case "div": {
      const by = literalOf(graph, other);
      if (by === null || by === 0 || !Number.isFinite(by) || (n.op === "div" && operand === 1)) return null;
      return { way: by > 0 ? "up" : "down", exact: n.op === "mul", operand };
    }
    default:
      return null;
  }
}

const alongRow = (graph: Graph, n: Node, operand: number, fold: Node): boolean =>
  node(graph, n.inputs[operand]!).type.shape.join() === n.type.shape.join() && fold.inputs[0] === n.id;

/** The other operand may be met after the fold instead: it has no extent along the folded axes and lines up with the result. */
function sameForRow(graph: Graph, n: Node, operand: number, fold: Node): boolean {
  const { shape } = node(graph, n.inputs[operand]!).type;
  const rank = n.type.shape.length;
  const axes = opDef(fold.op).reduce!.axes(fold.attrs, n.type.shape);
  if (sizeOf(shape) === 1 && shape.length === 0) return true;
  const kept = fold.type.shape.length === rank;
  const first = rank - shape.length;
  return axes.every((axis) => (kept ? axis < first || shape[axis - first] === 1 : axis < first));
}
