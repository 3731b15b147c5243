/**
 * @file What softmax, the normalisations, the gates and attention look like in primitives. Labels only: no plan depends on them.
 * @about div, sub, add, add_peak, mul, erf, square, pow, sum, mean: formulas are written with these.
 */
import { literalOf, node, type Node, type NodeId } from "../../ir";
import { axesOf } from "../../ops";
import { attempt, factorsOf, near, opOf, plusLiteral, type Seen } from "../algebra/matching";

/** Sees a pattern that ends in `root` and notes its nodes in `seen`; answers its name, or null. */
export type Pattern = (seen: Seen, root: Node) => string | null;

/** Asks about the operands one way round, then the other. */
export const either = <T>(
  seen: Seen,
  a: NodeId,
  b: NodeId,
  ask: (tried: Seen, a: NodeId, b: NodeId) => T | null,
): T | null => attempt(seen, (tried) => ask(tried, a, b)) ?? attempt(seen, (tried) => ask(tried, b, a));

/** x of exp(x − max x) or of exp x, as noted. */
function shiftedExp(seen: Seen, id: NodeId): { readonly exp: Node; readonly x: NodeId } | null {
  const exp = opOf(seen, id, "exp");
  const shifted = exp && opOf(seen, exp.inputs[0]!, "sub");
  const max = shifted && opOf(seen, shifted.inputs[1]!, "max");
  return max && max.inputs[0] === shifted.inputs[0] ? { exp, x: max.inputs[0]! } : null;
}

export const softmax: Pattern = (seen, root) => {
  if (root.op !== "div") return null;
  const over = shiftedExp(seen, root.inputs[0]!);
  const sum = over && opOf(seen, root.inputs[1]!, "sum");
  return sum && sum.inputs[0] === over.exp.id ? "softmax" : null;
};

/** log Σ exp(x − max x), with its maximum. */
function logOfSum(seen: Seen, id: NodeId): { readonly x: NodeId; readonly shifted: NodeId; readonly max: Node } | null {
  const log = opOf(seen, id, "log");
  const sum = log && opOf(seen, log.inputs[0]!, "sum");
  const over = sum && shiftedExp(seen, sum.inputs[0]!);
  if (!over) return null;
  const shifted = over.exp.inputs[0]!;
  const max = opOf(seen, node(seen.graph, shifted).inputs[1]!, "max")!;
  return { x: over.x, shifted, max };
}

export const logSoftmax: Pattern = (seen, root) => {
  const found = root.op === "sub" ? logOfSum(seen, root.inputs[1]!) : null;
  return found && root.inputs[0] === found.shifted ? "log_softmax" : null;
};

export const logsumexp: Pattern = (seen, root) => {
  if (root.op !== "add" && root.op !== "add_peak") return null;
  const [a, b] = root.inputs;
  return either(seen, a!, b!, (tried, sum, max) => {
    const found = logOfSum(tried, sum);
    return found && opOf(tried, max, "max")?.id === found.max.id ? "logsumexp" : null;
  });
};

/** x · sigmoid(x), or x / (1 + exp(−x)). */
const silu: Pattern = (seen, root) => {
  const [a, b] = root.inputs;
  if (root.op === "mul") {
    return either(seen, a!, b!, (tried, x, gate) => (opOf(tried, gate, "sigmoid")?.inputs[0] === x ? "silu" : null));
  }
  const raised = root.op === "div" ? plusLiteral(seen, b!) : null;
  const exp = raised?.literal === 1 ? opOf(seen, raised.value, "exp") : null;
  return exp && opOf(seen, exp.inputs[0]!, "neg")?.inputs[0] === a ? "silu" : null;
};

/** silu(a) · b, where both are written out. */
const swiglu: Pattern = (seen, root) => {
  if (root.op !== "mul") return null;
  const [a, b] = root.inputs;
  return either(seen, a!, b!, (tried, id) => {
    const gated = node(tried.graph, id);
    if (gated.op !== "mul" || silu(tried, gated) === null) return null;
    tried.members.add(id);
    return "swiglu";
  });
};

const HALF_ROOT = Math.SQRT1_2;
const TANH_SCALE = Math.sqrt(2 / Math.PI);
const CUBIC = 0.044715;

/** x of x/2 · (1 + erf(x/√2)), or of its approximation by tanh. */
export function geluOf(seen: Seen, root: Node): NodeId | null {
  if (root.op !== "mul" && root.op !== "div") return null;
  const { literal, rest } = factorsOf(seen, root.id);
  if (!near(literal, 0.5) || rest.length !== 2) return null;
  return either(seen, rest[0]!, rest[1]!, (tried, x, bell) => {
    const raised = plusLiteral(tried, bell);
    const inner = raised?.literal === 1 ? opOf(tried, raised.value, "erf", "tanh") : null;
    if (!inner) return null;
    const { literal: scale, rest: argument } = factorsOf(tried, inner.inputs[0]!, x);
    if (inner.op === "erf") return near(scale, HALF_ROOT) && argument.length === 1 && argument[0] === x ? x : null;
    return near(scale, TANH_SCALE) && isCubic(tried, argument, x) ? x : null;
  });
}

const gelu: Pattern = (seen, root) => (geluOf(seen, root) === null ? null : "gelu");

/** x + 0.044715·x³, whole or as x · (1 + 0.044715·x²). */
function isCubic(seen: Seen, argument: readonly NodeId[], x: NodeId): boolean {
  const isPower = (id: NodeId, power: number): boolean => {
    const { literal, rest } = factorsOf(seen, id, x);
    return near(literal, CUBIC) && rest.length === power && rest.every((each) => each === x);
  };
  if (argument.length === 1) {
    const sum = opOf(seen, argument[0]!, "add");
    return sum !== null && [0, 1].some((at) => sum.inputs[at] === x && isPower(sum.inputs[1 - at]!, 3));
  }
  const other = argument.find((id) => id !== x);
  if (argument.length !== 2 || other === undefined || !argument.includes(x)) return false;
  const raised = plusLiteral(seen, other);
  return raised?.literal === 1 && isPower(raised.value, 2);
}

/** The value whose mean or sum of squares this is. */
function squared(seen: Seen, id: NodeId): NodeId | null {
  const n = node(seen.graph, id);
  const two = n.op === "pow" && literalOf(seen.graph, n.inputs[1]!) === 2;
  if (n.op !== "square" && !two && !(n.op === "mul" && n.inputs[0] === n.inputs[1])) return null;
  seen.members.add(id);
  return n.inputs[0]!;
}

/** x of x − mean(x). */
function centred(seen: Seen, id: NodeId): NodeId | null {
  const sub = opOf(seen, id, "sub");
  const mean = sub && opOf(seen, sub.inputs[1]!, "mean");
  return mean && mean.inputs[0] === sub.inputs[0] ? sub.inputs[0]! : null;
}

/** What is under the root that `root` divides by: value / √v, value · rsqrt(v). */
function standardised(seen: Seen, root: Node): { readonly value: NodeId; readonly under: NodeId } | null {
  const [a, b] = root.inputs;
  if (root.op === "div") {
    const root2 = opOf(seen, b!, "sqrt");
    return root2 && { value: a!, under: root2.inputs[0]! };
  }
  if (root.op !== "mul") return null;
  return either(seen, a!, b!, (tried, value, scale) => {
    const found = opOf(tried, scale, "rsqrt");
    return found && { value, under: found.inputs[0]! };
  });
}

/** Whether it folds the last axes, those that layer_norm and rms_norm normalise; a statistic of channels or of a batch is neither. */
function foldsTrailing({ graph }: Seen, { attrs, inputs }: Node): boolean {
  const rank = node(graph, inputs[0]!).type.shape.length;
  const axes = axesOf(attrs["axes"], rank);
  return axes.every((axis, i) => axis === rank - axes.length + i);
}

const normalised: Pattern = (seen, root) => {
  const found = standardised(seen, root);
  if (!found) return null;
  const raised = plusLiteral(seen, found.under);
  const fold = opOf(seen, raised?.value ?? found.under, "mean", "sum");
  const inner = fold && squared(seen, fold.inputs[0]!);
  if (inner === null) return null;
  if (inner === found.value && fold!.op === "sum") return "l2_normalize";
  if (fold!.op !== "mean") return null;
  const x = centred(seen, inner);
  const trailing = foldsTrailing(seen, fold!);
  if (x === null) return inner === found.value && trailing ? "rms_norm" : null;
  if (inner !== found.value && centred(seen, found.value) !== x) return null;
  return trailing ? "layer_norm" : "standardize";
};

/** Larger patterns first: a part that is labelled is not looked at again. */
export const patterns: readonly Pattern[] = [swiglu, gelu, silu, softmax, logSoftmax, logsumexp, normalised];
