/** @file Which nodes never reverse an order, and which leave zeros where they are: what a maximum may be exchanged with. */
import { type Graph, literalOf, node, type Node, type NodeId, sameShape, sizeOf } from "../../ir";
import { algebraOf, isMultiplication, type Monotone, opDef } from "../../ops";
import { isFreeView } from "../../kernel";

/** How a node runs with the operand along the row. */
export interface Runs {
  readonly way: Monotone["way"];
  /** So does its rounded value, on any machine. */
  readonly exact: boolean;
  readonly operand: number;
}

/** How `n` runs with one operand, as far as its op and what is known of the others say. */
function runsWith(graph: Graph, n: Node, operand: number): Runs | null {
  const fact = algebraOf(n.op).monotone?.[operand];
  // A truth value has no order that rounding to another type could keep.
  const [from, to] = [node(graph, n.inputs[operand]!).type.dtype, n.type.dtype];
  if (!fact || from === "bool" || to === "bool" || fact.given?.(n.attrs) === false) return null;
  if (fact.where === "positive" && rangeOf(graph, n.inputs[operand]!) !== "positive") return null;
  if (fact.where === "non-negative" && !isNotNegative(graph, n.inputs[operand]!)) return null;
  if (fact.signOf === undefined) return { way: fact.way, exact: fact.exact, operand };
  const by = literalOf(graph, n.inputs[fact.signOf]!);
  if (by === null || by === 0 || !Number.isFinite(by)) return null;
  return { way: by > 0 ? fact.way : OPPOSITE[fact.way], exact: fact.exact, operand };
}

const OPPOSITE = { up: "down", down: "up" } as const;

const rangeOf = (graph: Graph, id: NodeId): string | null => algebraOf(node(graph, id).op).range ?? null;

/** By its own op, or by one before it that keeps the sign. */
function isNotNegative(graph: Graph, id: NodeId): boolean {
  for (let at = id; ;) {
    if (rangeOf(graph, at) !== null) return true;
    const { op, inputs } = node(graph, at);
    const { keepsZero, monotone } = algebraOf(op);
    if (!keepsZero || monotone?.[0]?.way !== "up") return false;
    at = inputs[0]!;
  }
}

/** Zeros and ones: a truth value as a number, seen behind views and broadcasts. */
function isMask(graph: Graph, id: NodeId): boolean {
  let n = node(graph, id);
  while (isFreeView(n) || opDef(n.op).movement?.spreads) n = node(graph, n.inputs[0]!);
  return algebraOf(n.op).sameValue === true && node(graph, n.inputs[0]!).type.dtype === "bool";
}

/**
 * Which operand of `n`, a mask applied to φ(x), is φ(x): then the mask may be applied to x instead. By a product with zeros and
 * ones, or by a choice between φ(x) and 0. Null where `n` is none or φ moves 0.
 */
export function maskedOperand(graph: Graph, n: Node): number | null {
  const [a, b, c] = n.inputs;
  const zero = (id: NodeId | undefined): boolean => id !== undefined && literalOf(graph, id) === 0;
  const algebra = algebraOf(n.op);
  const candidates = isMultiplication(algebra)
    ? [isMask(graph, b!) ? 0 : -1, isMask(graph, a!) ? 1 : -1]
    : algebra.linear?.some((group) => group.join() === "1,2")
      ? [zero(c) ? 1 : -1, zero(b) ? 2 : -1]
      : [];
  const at = candidates.find((operand) => operand >= 0);
  if (at === undefined) return null;
  const inner = node(graph, n.inputs[at]!);
  const [x] = inner.inputs;
  const keeps = algebraOf(inner.op).keepsZero && inner.inputs.length === 1;
  const runs = keeps && node(graph, x!).type.dtype === "f32" ? runsWith(graph, inner, 0) : null;
  const fits = runs?.way === "up" && inner.type.dtype === "f32" && sameShape(inner.type.shape, n.type.shape);
  return fits ? at : null;
}

/** How `n` runs with the operand that `fold` folds; null when it is not monotone. */
export function monotone(graph: Graph, n: Node, fold: Node): Runs | null {
  if (n.inputs.length === 1) return runsWith(graph, n, 0);
  if (n.inputs.length !== 2) return null;
  const operand = [0, 1].find((at) => alongRow(graph, n, at, fold) && sameForRow(graph, n, 1 - at, fold));
  return operand === undefined ? null : runsWith(graph, n, operand);
}

const alongRow = (graph: Graph, n: Node, operand: number, fold: Node): boolean =>
  node(graph, n.inputs[operand]!).type.shape.join() === n.type.shape.join() && fold.inputs[0] === n.id;

/** The other operand may be met after the fold instead: it has no extent along the folded axes and lines up with the result. */
function sameForRow(graph: Graph, n: Node, operand: number, fold: Node): boolean {
  const { shape } = node(graph, n.inputs[operand]!).type;
  const rank = n.type.shape.length;
  const axes = opDef(fold.op).reduce!.axes(fold.attrs, n.type.shape);
  if (sizeOf(shape) === 1 && shape.length === 0) return true;
  const keepdim = fold.type.shape.length === rank;
  const first = rank - shape.length;
  return axes.every((axis) => (keepdim ? axis < first || shape[axis - first] === 1 : axis < first));
}
