/**
 * @file P3c: a fold of few terms is written out: Σₖ xₖ = x₀ + x₁ + x₂. It is then an elementwise op like any other: what folds its
 * results along another axis can compute them itself (distances between all pairs of points, forces, assignments), and what stands
 * beside it goes through another order of memory (the largest of three channels, stacked with two other values). So is a contraction of
 * few terms, as broadcast products: (A·B)ᵢⱼ = Aᵢ₀ B₀ⱼ + Aᵢ₁ B₁ⱼ + Aᵢ₂ B₂ⱼ.
 */
import { node, sameShape, sizeOf, type Node, type NodeId, type TensorType } from "../../ir";
import { algebraOf, isLinearFold, opDef } from "../../ops";
import { distanceBehind, isFreeView } from "../../kernel";
import type { NodeChange } from "../driver/rewriter";
import { readOnce, rule, type Site } from "../driver/rule";
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
    if (!reduce?.ofTwo || n.type.shape.length === 0) return null;
    if ((reduce.map && !reduce.ofEach) || (reduce.finish && !reduce.ofResult && !isLinearFold(n.op))) return null;
    const { shape, dtype } = node(graph, n.inputs[0]!).type;
    const axes = reduce.axes(n.attrs, shape).filter((axis) => shape[axis] !== 1);
    const [axis] = axes;
    if (
      axes.length !== 1 ||
      axis === undefined ||
      shape[axis]! < 2 ||
      shape[axis]! > MAX_TERMS ||
      dtype !== n.type.dtype
    )
      return null;
    const count = shape[axis]!;
    const all = elementwiseBelow(site, n.inputs[0]!, count, () => true);
    const next = all && isFromLess(site, all) ? foldedNext(site) : null;
    if (next) return { nodes: [n.id, next], axis, count, inside: all!.ops };
    const own = elementwiseBelow(site, n.inputs[0]!, count, (id) => readOnce(site, node(graph, id)));
    const reader = own ? movedNext(site) : null;
    return reader ? { nodes: [n.id, reader], axis, count, inside: own!.ops } : null;
  },
  replace: (site, found) => writtenOut(site, found),
  because: ({ graph, n }, { count, nodes }) =>
    `${nameOf(graph, n.id)} folds ${inWords(count)} terms. Written out it is elementwise, so that ${nameOf(graph, nodes[1]!)} can compute each result where it needs it.`,
});

/** What computes the terms: elementwise ops, and what these read. */
interface Below {
  readonly ops: ReadonlySet<NodeId>;
  readonly read: ReadonlySet<NodeId>;
}

/** Those that are `taken`; null where written out they would be too many. */
function elementwiseBelow({ graph }: Site, top: NodeId, terms: number, taken: (id: NodeId) => boolean): Below | null {
  const ops = new Set<NodeId>();
  const read = new Set<NodeId>();
  const open = [top];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const { op, inputs } = node(graph, id);
    if (opDef(op).kind !== "elementwise" || inputs.length === 0 || !taken(id)) {
      read.add(id);
      continue;
    }
    if (ops.has(id)) continue;
    ops.add(id);
    if (ops.size * terms > MAX_OPS) return null;
    open.push(...inputs);
  }
  return { ops, read };
}

/** Whether all that the ops read has fewer elements than the fold has results. */
function isFromLess({ graph, n }: Site, { ops, read }: Below): boolean {
  const elements = [...read].reduce((sum, id) => sum + sizeOf(node(graph, id).type.shape), 0);
  return ops.size > 0 && elements < sizeOf(n.type.shape);
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

/**
 * What puts the results, or what elementwise ops make of them, into another order, or folds them further. Null where nothing does, and
 * where a result is read many times: then each reader would fold its terms anew.
 */
function movedNext({ graph, rewriter, n }: Site): NodeId | null {
  const seen = new Set<NodeId>([n.id]);
  let moved: NodeId | null = null;
  for (const id of seen) {
    if (seen.size > MAX_OPS) return null;
    for (const reader of rewriter.readersOf(id)) {
      const next = node(graph, reader);
      const { kind, movement } = opDef(next.op);
      const joins = kind === "movement" && next.inputs.length > 1;
      if (!joins && sizeOf(next.type.shape) > sizeOf(n.type.shape)) return null;
      // Two folds in a row become one.
      if (id === n.id && next.op === n.op && algebraOf(n.op).nests) return null;
      if (kind === "elementwise" || isFreeView(next)) seen.add(reader);
      else if (kind === "reduce" || movement) moved ??= reader;
      else return null;
    }
  }
  return moved;
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
  const { ofTwo, ofEach, ofResult, finish } = opDef(n.op).reduce!;
  const each = (term: number): NodeId =>
    ofEach === undefined ? termOf(term) : factory.call(ofEach, [termOf(term)], {}, n, late);
  let total = each(0);
  for (let term = 1; term < count; term++) total = factory.call(ofTwo!, [total, each(term)], {}, n, late);
  if (ofResult !== undefined) total = factory.call(ofResult, [total], {}, n, late);
  else if (finish)
    total = factory.call("mul", [total, factory.literal(finish.js(1, count), n, late, "f32")], {}, n, late);
  if (!sameShape(factory.made.at(-1)!.type.shape, n.type.shape))
    factory.call("reshape", [total], { shape: n.type.shape }, n, late);
  const last = factory.made.pop()!;
  const result: Node = { ...n, op: last.op, inputs: last.inputs, attrs: last.attrs };
  return {
    ...rewriter.replaced([], [...factory.made, result]),
    inserted: factory.computed().map((id) => [id, n.id] as const),
  };
}

/** Products that are written out at most: coordinates of a point, taps of a window. */
const MAX_PRODUCTS = 4;
const MAX_TAPS = 32;

/** No two outputs share an element of an operand of which neighbouring outputs read what lies far apart: the same loads either way, across memory. */
function goesAcross({ graph, n }: Site, count: number): boolean {
  const sides = n.inputs.map((id) => node(graph, id).type.shape);
  const one = sides[0]!.at(-2) === 1 ? 1 : sides[1]!.at(-1) === 1 ? 0 : null;
  return one !== null && (distanceBehind(graph, n.inputs[one]!, one - 2) ?? 1) > count;
}

export const fewProducts = rule({
  name: "few-products",
  match(site) {
    const { planner, graph, n } = site;
    if (opDef(n.op).kind !== "contraction" || n.type.dtype !== "f32" || planner.isOutput(n.id)) return null;
    const operands = n.inputs.map((id) => node(graph, id).type);
    if (operands.length !== 2 || operands.some(({ shape, dtype }) => shape.length < 2 || dtype !== "f32")) return null;
    const count = operands[0]!.shape.at(-1)!;
    const reader = count > 0 && count <= MAX_TAPS ? movedNext(site) : null;
    if (!reader) return null;
    const alike = opDef(node(graph, reader).op).kind === "movement" && goesAcross(site, count);
    return alike || count <= MAX_PRODUCTS ? { nodes: [n.id, reader], count, operands, alike } : null;
  },
  replace: (site, { count, operands }) => productsOut(site, count, operands),
  alike: ({ alike }) => alike,
  because({ graph, n }, { count, nodes, alike }) {
    const adds = `${nameOf(graph, n.id)} adds up ${inWords(count)} products`;
    const reader = nameOf(graph, nodes[1]!);
    return alike
      ? `${adds} of elements that lie across memory, and ${reader} puts the results in another order, too. Written out it is elementwise, with the same loads, and its threads can go along memory.`
      : `${adds}. Written out it is elementwise, so that ${reader} can compute each result where it needs it.`;
  },
});

function productsOut({ graph, rewriter, n }: Site, count: number, operands: readonly TensorType[]): NodeChange {
  const late = n.phase === "backward";
  const factory = new NodeFactory(graph, n.id, "term");
  /** One column of the left operand, one row of the right one. */
  const partOf = (which: 0 | 1, term: number): NodeId => {
    const axis = operands[which]!.shape.length - 1 - which;
    const attrs = { start: [term], stop: [term + 1], axes: [axis] };
    return count === 1 ? n.inputs[which]! : factory.call("slice", [n.inputs[which]!], attrs, n, late);
  };
  const product = (term: number): NodeId => factory.call("mul", [partOf(0, term), partOf(1, term)], {}, n, late);
  let total = product(0);
  for (let term = 1; term < count; term++) total = factory.call("add", [total, product(term)], {}, n, late);
  const last = factory.made.pop()!;
  const result: Node = { ...n, op: last.op, inputs: last.inputs, attrs: last.attrs };
  return {
    ...rewriter.replaced([], [...factory.made, result]),
    inserted: factory.computed().map((id) => [id, n.id] as const),
  };
}
