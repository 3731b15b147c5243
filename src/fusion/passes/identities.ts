/**
 * @file Exact laws of single ops: neutral operands, double negations, views of views, constants. Each answers with a change and a sentence.
 * @about transpose: two of them are one.
 */
import {
  madeFor,
  type Graph,
  isLiteral,
  literalOf,
  node,
  type Node,
  type NodeId,
  sameShape,
  sizeOf,
  type Verdict,
} from "../ir";
import { opDef, permOf } from "../ops";
import { affineView, isFreeView } from "../region";
import type { Planner } from "./planner";
import type { NodeChange, Rewriter } from "./rewriter";
import { nameOf, no, STRICT_OFF, yes } from "./sentences";

export interface Proposal {
  readonly rule: string;
  /** Null: refused before anything is tried. */
  readonly change: NodeChange | null;
  readonly verdict: Verdict;
  readonly nodes: readonly NodeId[];
}

const sameType = (a: Node, b: Node): boolean => a.type.dtype === b.type.dtype && sameShape(a.type.shape, b.type.shape);

/** The first law that fits the node, or null. */
export function lawFor(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const found = lawOf(planner, rewriter, n);
  const shown = planner.isOutput(n.id) || isViewed(planner.graph, rewriter, n.id);
  return found?.change && shown && becomesLiteral(planner.graph, n, found) ? null : found;
}

/** Whether a literal would stand where `n` is. */
const becomesLiteral = (graph: Graph, { id, type }: Node, { rule, nodes }: Proposal): boolean =>
  type.shape.length === 0 && (rule === "constant" || nodes.some((each) => each !== id && isLiteral(node(graph, each))));

/** Whether views look at it: they, like results, show what is in memory, and a literal is not. */
const isViewed = (graph: Graph, { readersOf }: Rewriter, id: NodeId): boolean =>
  [...readersOf(id)].some((reader) => isFreeView(node(graph, reader)));

function lawOf(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  return (
    neutral(planner, rewriter, n) ??
    doubled(planner, rewriter, n) ??
    nothingMoves(planner, rewriter, n) ??
    foldOfOne(planner, rewriter, n) ??
    viewOfView(planner, rewriter, n) ??
    transposedTwice(planner, rewriter, n) ??
    folded(planner, rewriter, n) ??
    copiesOfOne(planner, rewriter, n)
  );
}

/** Replaces `n` by the value `to`, keeping a result's name. */
function same(
  planner: Planner,
  rewriter: Rewriter,
  n: Node,
  to: NodeId,
  rule: string,
  text: string,
  code: Verdict["code"] = "A_PATTERN",
): Proposal | null {
  const change = planner.isOutput(n.id) ? rewriter.rename(n.id, to) : rewriter.redirect(n.id, to);
  return change && { rule, change, verdict: yes(code, [n.id, to], text), nodes: [n.id, to] };
}

function neutral(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const law = opDef(n.op).scalar?.neutral;
  const { graph } = planner;
  if (!law || n.inputs.length !== 2) return null;
  const [a, b] = [n.inputs[0]!, n.inputs[1]!];
  const { value } = law;
  const other =
    literalOf(graph, b) === value ? a : law.operands.includes(0) && literalOf(graph, a) === value ? b : null;
  if (other === null || !sameType(node(graph, other), n)) return null;
  const [x, verb] = [nameOf(graph, other), law.says];
  if (law.changesZero && planner.options.strict && n.type.dtype !== "i32") {
    const text = `${nameOf(graph, n.id)} ${verb} ${x}: −0 + 0 is +0, so this is not ${x} bit for bit, and strict mode keeps the addition.`;
    return {
      rule: "neutral",
      change: null,
      verdict: no("L_STRICT", [n.id], text, STRICT_OFF),
      nodes: [n.id, other],
    };
  }
  const said = verb.endsWith("1") ? `${verb.replace(/ by 1$/, "")} ${x} by 1` : `${verb} ${x}`;
  return same(
    planner,
    rewriter,
    n,
    other,
    "neutral",
    `${nameOf(graph, n.id)} ${said}. That is ${x} itself, so the op is gone.`,
  );
}

function doubled(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const { graph } = planner;
  const inner = n.inputs.length === 1 ? node(graph, n.inputs[0]!) : null;
  if (inner?.op !== n.op) return null;
  const { involution, idempotent } = opDef(n.op).algebra ?? {};
  if (involution) {
    const x = inner.inputs[0]!;
    const text = `${nameOf(graph, n.id)} undoes ${nameOf(graph, inner.id)}: both are gone and ${nameOf(graph, x)} is left.`;
    return same(planner, rewriter, n, x, "double", text);
  }
  if (!idempotent) return null;
  const text = `${nameOf(graph, inner.id)} is ${idempotent} already, so a second ${n.op} changes nothing.`;
  return same(planner, rewriter, n, inner.id, "double", text);
}

/** Casts to the type it has, reshapes to the shape it has, whole slices, `identity`. */
function nothingMoves(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const { graph } = planner;
  const x = n.inputs.length === 1 ? node(graph, n.inputs[0]!) : null;
  if (!x || !sameType(x, n)) return null;
  const { movement, algebra } = opDef(n.op);
  const idle = movement ? isFreeView(n) || standsStill(graph, n) : algebra?.sameValue;
  if (!idle) return null;
  const what = movement ? "every element stays where it is" : "it has that type and value already";
  return same(
    planner,
    rewriter,
    n,
    x.id,
    "no-op",
    `${nameOf(graph, n.id)} changes nothing about ${nameOf(graph, x.id)}: ${what}.`,
    "A_VIEW",
  );
}

/** Each output axis walks the same input axis from 0 in steps of 1: slices of the whole, transposes that keep the order. */
function standsStill(graph: Graph, n: Node): boolean {
  const view = affineView(
    n,
    n.inputs.map((input) => node(graph, input).type.shape),
  );
  const walks = (column: readonly number[], axis: number): boolean =>
    n.type.shape[axis] === 1 || column.every((step, from) => step === (from === axis ? 1 : 0));
  return view !== null && view.base.every((start) => start === 0) && view.columns.every(walks);
}

/** Values that a fold of one element has to leave as they are: an op that squares or counts doesn't. */
const PROBES = [-2.5, 0, 3];

/** Sums, means, maxima … over axes of one element are that element. */
function foldOfOne(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const { graph, options } = planner;
  const { reduce } = opDef(n.op);
  if (!reduce || reduce.arg || planner.isOutput(n.id)) return null;
  const x = node(graph, n.inputs[0]!);
  if (x.type.dtype !== n.type.dtype || sizeOf(x.type.shape) !== sizeOf(n.type.shape) || sizeOf(n.type.shape) === 0)
    return null;
  const folded = (value: number): number => {
    const all = reduce.combine.js(reduce.identity(x.type.dtype), reduce.map ? reduce.map.js(value) : value);
    return reduce.finish ? reduce.finish.js(all, 1) : all;
  };
  if (PROBES.some((value) => folded(value) !== value)) return null;
  // A sum of −0 alone is +0.
  if (options.strict && !Object.is(folded(-0), -0)) return null;
  const change = rewriter.become({ ...n, op: "reshape", inputs: [x.id], attrs: { shape: n.type.shape } });
  const text = `${nameOf(graph, n.id)} reduces axes of one element: it is ${nameOf(graph, x.id)} in another shape.`;
  return { rule: "fold-of-one", change, verdict: yes("A_VIEW", [n.id, x.id], text), nodes: [n.id, x.id] };
}

function viewOfView(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const { graph } = planner;
  if (!isFreeView(n)) return null;
  const inner = node(graph, n.inputs[0]!);
  if (!isFreeView(inner)) return null;
  const x = node(graph, inner.inputs[0]!);
  const text = `${nameOf(graph, n.id)} reshapes what ${nameOf(graph, inner.id)} reshaped: one view of ${nameOf(graph, x.id)} does both.`;
  if (sameType(x, n)) return same(planner, rewriter, n, x.id, "view-of-view", text, "A_VIEW");
  const change = rewriter.become({ ...n, op: "reshape", inputs: [x.id], attrs: { shape: n.type.shape } });
  return { rule: "view-of-view", change, verdict: yes("A_VIEW", [n.id, inner.id], text), nodes: [n.id, inner.id] };
}

function transposedTwice(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const { graph } = planner;
  const inner = n.op === "transpose" ? node(graph, n.inputs[0]!) : null;
  if (inner?.op !== "transpose") return null;
  const [outer, first] = [n, inner].map(({ attrs, type }) => permOf(attrs, type.shape.length)) as [number[], number[]];
  const perm = outer.map((axis) => first[axis]!);
  const x = inner.inputs[0]!;
  if (perm.every((axis, i) => axis === i)) {
    const text = `${nameOf(graph, n.id)} undoes ${nameOf(graph, inner.id)}: both are removed, and ${nameOf(graph, x)} is read directly.`;
    return same(planner, rewriter, n, x, "double-transpose", text, "A_VIEW");
  }
  const text = `${nameOf(graph, n.id)} transposes what ${nameOf(graph, inner.id)} transposed: one transpose of ${nameOf(graph, x)} does both.`;
  const change = rewriter.become({ ...n, inputs: [x], attrs: { perm, dim1: null } });
  return { rule: "double-transpose", change, verdict: yes("A_VIEW", [n.id, inner.id], text), nodes: [n.id, inner.id] };
}

/** Arithmetic on literals alone is done now, in f64. */
function folded(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const { graph } = planner;
  const def = opDef(n.op);
  if (def.kind !== "elementwise" || n.inputs.length === 0 || planner.isOutput(n.id) || sizeOf(n.type.shape) !== 1)
    return null;
  const values = n.inputs.map((input) => literalOf(graph, input));
  if (n.type.dtype === "i32" || n.type.shape.length > 0 || !values.every((value) => value !== null)) return null;
  const value = def.scalar!.js(values, n.attrs);
  if (!Number.isFinite(value)) return null;
  const change = rewriter.become({ ...n, op: "const", inputs: [], attrs: { value } });
  const text = `${nameOf(graph, n.id)} has only constants as operands, so it is ${Number(value.toPrecision(6))} before anything runs.`;
  return { rule: "constant", change, verdict: yes("A_PATTERN", [n.id], text), nodes: [n.id] };
}

/** The literal that every element of a value is a copy of; null where they are no copies of one. */
function copied(graph: Graph, id: NodeId): Node | null {
  let n = node(graph, id);
  for (; n.inputs.length === 1; n = node(graph, n.inputs[0]!)) {
    const { movement } = opDef(n.op);
    if (movement === undefined || movement.fill !== undefined) return null;
  }
  return isLiteral(n) ? n : null;
}

/** Arithmetic on copies of one number each is done once and now: the result is copies of one number as well. */
function copiesOfOne(planner: Planner, rewriter: Rewriter, n: Node): Proposal | null {
  const { graph } = planner;
  const def = opDef(n.op);
  if (def.kind !== "elementwise" || n.inputs.length === 0 || planner.isOutput(n.id) || n.type.dtype !== "f32")
    return null;
  if (n.type.shape.length === 0 || sizeOf(n.type.shape) === 0) return null;
  const values = n.inputs.map((input) => copied(graph, input)).map((each) => each && literalOf(graph, each.id));
  if (!values.every((value) => value !== null)) return null;
  const value = def.scalar!.js(values, n.attrs);
  if (!Number.isFinite(value)) return null;
  const literal: Node = {
    ...n,
    ...madeFor(n, "value"),
    op: "const",
    inputs: [],
    attrs: { value },
    type: { dtype: "f32", shape: [] },
  };
  const copies: Node = { ...n, op: "expand", inputs: [literal.id], attrs: { shape: n.type.shape } };
  const said = Number(value.toPrecision(6));
  const text = `Every element of ${nameOf(graph, n.id)} has only constants as operands, so it is ${said} before anything runs.`;
  const change = rewriter.replaced([], [literal, copies]);
  return { rule: "constant", change, verdict: yes("A_PATTERN", [n.id], text), nodes: [n.id] };
}
