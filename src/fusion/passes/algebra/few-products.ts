/**
 * @file P3c: a contraction of few terms is written out as broadcast products: (A·B)ᵢⱼ = Aᵢ₀ B₀ⱼ + Aᵢ₁ B₁ⱼ + Aᵢ₂ B₂ⱼ. Points that a small
 * matrix turns are then elementwise, and what takes their coordinates apart or measures them computes them itself.
 */
import { node, type Node, type NodeId, type TensorType } from "../../ir";
import { opDef } from "../../ops";
import type { NodeChange } from "../driver/rewriter";
import { rule, type Site } from "../driver/rule";
import { inWords, nameOf } from "../driver/sentences";
import { NodeFactory } from "../saved/node-factory";
import { movedNext } from "./few-terms";

/** Terms that are written out at most: coordinates of a point. */
const MAX_TERMS = 4;

export const fewProducts = rule({
  name: "few-products",
  match(site) {
    const { planner, graph, n } = site;
    if (opDef(n.op).kind !== "contraction" || n.type.dtype !== "f32" || planner.isOutput(n.id)) return null;
    const operands = n.inputs.map((id) => node(graph, id).type);
    if (operands.length !== 2 || operands.some(({ shape, dtype }) => shape.length < 2 || dtype !== "f32")) return null;
    const count = operands[0]!.shape.at(-1)!;
    const reader = count > 0 && count <= MAX_TERMS ? movedNext(site) : null;
    return reader ? { nodes: [n.id, reader], count, operands } : null;
  },
  replace: (site, { count, operands }) => writtenOut(site, count, operands),
  because: ({ graph, n }, { count, nodes }) =>
    `${nameOf(graph, n.id)} adds up ${inWords(count)} products. Written out it is elementwise, so that ${nameOf(graph, nodes[1]!)} can compute each result where it needs it.`,
});

function writtenOut({ graph, rewriter, n }: Site, count: number, operands: readonly TensorType[]): NodeChange {
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
