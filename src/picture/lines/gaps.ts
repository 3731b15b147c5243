/** @file What is missing while a program is being drawn: operands that nothing feeds, and all that waits for them. */
import type { Graph, Node, NodeId } from "../../fusion";

/** Operands that nothing feeds. */
export const holesOf = (graph: Graph, { inputs }: Node): number[] =>
  inputs.flatMap((id, i) => (graph.nodes.get(id)?.op === "hole" ? [i] : []));

/** Nodes with a hole anywhere before them: neither their shape nor their bytes are known. */
export function waitingOf(graph: Graph): ReadonlySet<NodeId> {
  const waiting = new Set<NodeId>();
  // Only a source graph has holes, and there producers come first.
  for (const { id, op, inputs } of graph.nodes.values()) {
    if (op === "hole" || inputs.some((input) => waiting.has(input))) waiting.add(id);
  }
  return waiting;
}
