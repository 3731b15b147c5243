/** @file Where nodes stand in the text's order: apart from the totals, since the page steps through plans without counting them. */
import { bug, topological, type Graph, type NodeId, type Standing } from "../ir";

/** Positions in the text's order (a topological order in every graph that passes make). */
export interface Positions {
  /** All positions are below it. */
  readonly count: number;
  /** What passes made for a node of the text stands less than 1 before it. */
  readonly of: (n: Standing) => number;
}

/** Positions of the graph's nodes, and of what passes make for them. */
export function positionsOf(graph: Graph): Positions {
  const written = new Map<NodeId, number>();
  // What is made for a node stands where the node does (or stood): a state is the same when it is reached by rewriting and when it is read anew.
  for (const [position, { id, order }] of inOrder(graph).entries()) written.set(order?.before ?? id, position);
  return {
    count: graph.nodes.size,
    of({ id, order }) {
      const position = written.get(order?.before ?? id);
      if (position === undefined) throw bug(`${id} has no position in the text`);
      return position - (order?.by ?? 0);
    },
  };
}

/** Insertion order where that is topological, Kahn's otherwise. */
function inOrder(graph: Graph): readonly Standing[] {
  const seen = new Set<NodeId>();
  for (const { id, inputs } of graph.nodes.values()) {
    if (!inputs.every((input) => seen.has(input))) return topological(graph).map((each) => graph.nodes.get(each)!);
    seen.add(id);
  }
  return [...graph.nodes.values()];
}
