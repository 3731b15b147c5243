/** @file What belongs to the backward pass: derivatives, and what is computed from them. */
import { extended, topological, type Graph, type Node, type NodeId } from "../ir";

/** The graph with `phase` said of every node that depends on a backward one; the same graph where there is none. */
export function withPhases(graph: Graph): Graph {
  if (![...graph.nodes.values()].some(({ phase }) => phase)) return graph;
  const late = new Set<NodeId>();
  for (const id of topological(graph)) {
    const { phase, inputs } = graph.nodes.get(id)!;
    if (phase || inputs.some((input) => late.has(input))) late.add(id);
  }
  const withPhase = (n: Node): Node => (late.has(n.id) && !n.phase ? extended(n, { phase: "backward" as const }) : n);
  return { ...graph, nodes: new Map([...graph.nodes].map(([id, n]) => [id, withPhase(n)])) };
}
