/** @file Ops that need all of a row before they know any of their result's elements: reductions, scans and orders. */
import { node, type Graph, type Node, type NodeId } from "../../../../ir";
import { opDef } from "../../../../ops";

/** Axes of its operand that `n` walks to the end; null for every other op. */
export function walkedAxes(graph: Graph, n: Node): readonly number[] | null {
  const { reduce, scan, order } = opDef(n.op);
  const walk = scan ?? order;
  if (!reduce && !walk) return null;
  const { shape } = node(graph, n.inputs[0]!).type;
  return reduce ? reduce.axes(n.attrs, shape) : [walk!.axis(n.attrs, shape)];
}

export const isScan = (n: Node): boolean => opDef(n.op).kind === "scan";
export const isOrder = (n: Node): boolean => opDef(n.op).kind === "order";
/** What needs the whole row is known one pass later: points and demands of single elements stop here. */
export const endsPass = (n: Node): boolean => isOrder(n) || opDef(n.op).kind === "reduce";
export const walksRows = (n: Node): boolean => isScan(n) || endsPass(n);

/** Scans among `members` that the values `wanted` are computed from, in dependence order. What ends a pass ends the way: its rows are done. */
export function scansBehind(graph: Graph, members: readonly NodeId[], wanted: readonly NodeId[]): NodeId[] {
  const asked = new Set(wanted);
  const found: NodeId[] = [];
  for (const id of members.toReversed()) {
    const n = node(graph, id);
    if (!asked.has(id) || endsPass(n)) continue;
    if (isScan(n)) found.unshift(id);
    for (const input of n.inputs) asked.add(input);
  }
  return found;
}

/** Which way each scan walks; null when some walk forwards and some backwards. */
export function directionOf(graph: Graph, scans: readonly NodeId[]): "forwards" | "backwards" | null {
  const ways = new Set(
    scans.map((id) => (opDef(node(graph, id).op).scan!.reverse(node(graph, id).attrs) ? "backwards" : "forwards")),
  );
  if (ways.size > 1) return null;
  return ways.has("backwards") ? "backwards" : "forwards";
}
