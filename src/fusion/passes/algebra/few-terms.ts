/**
 * @file P3c: a fold of few terms is written out: Σₖ xₖ = x₀ + x₁ + x₂. It is then an elementwise op like any other, and what folds its
 * results along another axis can compute them itself (distances between all pairs of points, forces, assignments).
 */
import { node, sameShape, sizeOf, type Node, type NodeId } from "../../ir";
import { opDef } from "../../ops";
import { isFreeView } from "../../region";
import type { NodeChange } from "../driver/rewriter";
import { rule, type Site } from "../driver/rule";
import { NodeFactory } from "../saved/node-factory";
import { inWords, nameOf } from "../driver/sentences";

/** Terms that are written out, and ops that all of them take, at most. */
const MAX_TERMS = 8;
const MAX_OPS = 64;

/** A fold whose operand is computed from much less than it has results. */
interface Terms {
  readonly nodes: readonly NodeId[];
  readonly axis: number;
  readonly count: number;
  /** Elementwise ops that the operand is computed by, in no order. */
  readonly inside: ReadonlySet<NodeId>;
}

export const fewTerms = rule({
  name: "few-terms",
  match(site): Terms | null {
    const { graph, n } = site;
    const { reduce } = opDef(n.op);
    if (!reduce?.ofTwo || reduce.finish || reduce.map || n.type.shape.length === 0) return null;
    const { shape, dtype } = node(graph, n.inputs[0]!).type;
    const axes = reduce.axes(n.attrs, shape).filter((axis) => shape[axis]! > 1);
    const [axis] = axes;
    if (axes.length !== 1 || axis === undefined || shape[axis]! > MAX_TERMS || dtype !== n.type.dtype) return null;
    const inside = computedFromLess(site, n.inputs[0]!, shape[axis]!);
    const reader = inside && foldedNext(site);
    return reader ? { nodes: [n.id, reader], axis, count: shape[axis]!, inside } : null;
  },
  replace: (site, found) => writtenOut(site, found),
  because: ({ graph, n }, { count }) =>
    `${nameOf(graph, n.id)} folds ${inWords(count)} terms. Written out it is elementwise, so that a fold of another axis can compute each result where it needs it.`,
});

/** The elementwise ops that compute `top`, where all that they read has fewer elements than the fold has results; else null. */
function computedFromLess({ graph, n }: Site, top: NodeId, terms: number): ReadonlySet<NodeId> | null {
  const inside = new Set<NodeId>();
  const read = new Set<NodeId>();
  const open = [top];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const { op, inputs } = node(graph, id);
    if (opDef(op).kind !== "elementwise" || inputs.length === 0) {
      read.add(id);
      continue;
    }
    if (inside.has(id)) continue;
    inside.add(id);
    if (inside.size * terms > MAX_OPS) return null;
    open.push(...inputs);
  }
  const elements = [...read].reduce((sum, id) => sum + sizeOf(node(graph, id).type.shape), 0);
  return inside.size > 0 && elements < sizeOf(n.type.shape) ? inside : null;
}

/** A fold that reads what elementwise ops make of the result; null where nothing folds it further. */
function foldedNext({ graph, rewriter, n }: Site): NodeId | null {
  const seen = new Set<NodeId>([n.id]);
  for (const id of seen) {
    if (seen.size > MAX_OPS) return null;
    for (const reader of rewriter.readersOf(id)) {
      const next = node(graph, reader);
      const { kind } = opDef(next.op);
      if (kind === "reduce") return reader;
      if (kind === "elementwise" || isFreeView(next)) seen.add(reader);
    }
  }
  return null;
}

function writtenOut({ graph, rewriter, n }: Site, { axis, count, inside }: Terms): NodeChange {
  const late = n.phase === "backward";
  const factory = new NodeFactory(graph, n.id, "term");
  const top = node(graph, n.inputs[0]!);
  const rank = top.type.shape.length;
  const termOf = (term: number): NodeId => {
    const made = new Map<NodeId, NodeId>();
    const at = (id: NodeId): NodeId => {
      const known = made.get(id);
      if (known !== undefined) return known;
      const own = node(graph, id);
      const mine = axis - rank + own.type.shape.length;
      const varies = (own.type.shape[mine] ?? 1) > 1;
      const result = !varies
        ? id
        : inside.has(id)
          ? factory.call(own.op, own.inputs.map(at), own.attrs, own, late)
          : factory.call("slice", [id], { start: [term], stop: [term + 1], axes: [mine] }, own, late);
      made.set(id, result);
      return result;
    };
    return at(top.id);
  };
  let total = termOf(0);
  for (let term = 1; term < count; term++)
    total = factory.call(opDef(n.op).reduce!.ofTwo!, [total, termOf(term)], {}, n, late);
  if (!sameShape(factory.made.at(-1)!.type.shape, n.type.shape))
    factory.call("reshape", [total], { shape: n.type.shape }, n, late);
  const last = factory.made.pop()!;
  const result: Node = { ...n, op: last.op, inputs: last.inputs, attrs: last.attrs };
  return {
    ...rewriter.replaced([], [...factory.made, result]),
    inserted: factory.made.map(({ id }) => [id, n.id] as const),
  };
}
