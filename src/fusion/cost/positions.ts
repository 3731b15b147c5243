/** @file Where nodes stand in the text's order: apart from the totals, since the page steps through plans without counting them. */
import { nodeId, topological, type Graph, type NodeId } from "../ir";

/** Positions of nodes in the graph's text order (a topological order in every graph that passes make). */
export const positionsOf = (graph: Graph): Map<NodeId, number> =>
  new Positions(inOrder(graph).map((id, position) => [id, position]));

/** Nodes made one after the other for the same node, `y~again#0`, `y~again#1` …: at most so many. */
const MOST_IN_A_ROW = 2 ** 16;

/**
 * What a pass makes for a node, `y~sum` for `y`, stands just before it; what is made for that, just before that. What is made in a
 * row stands in the order of its numbers.
 */
class Positions extends Map<NodeId, number> {
  override get(id: NodeId): number | undefined {
    return this.#placeOf(id)?.at;
  }

  /** Where it stands, and how much room is free before it. */
  #placeOf(id: string): { readonly at: number; readonly room: number } | undefined {
    const made: string[] = [];
    let parent = id;
    for (; super.get(nodeId(parent)) === undefined; parent = parent.slice(0, parent.lastIndexOf("~"))) {
      if (!parent.includes("~")) return undefined;
      made.push(parent.slice(parent.lastIndexOf("~") + 1));
    }
    let [at, room] = [super.get(nodeId(parent))!, 1];
    for (const name of made.toReversed()) {
      const turn = /#(\d+)$/.exec(name);
      room /= 2;
      at -= turn ? room * (1 - Number(turn[1]) / MOST_IN_A_ROW) : room;
      if (turn) room /= MOST_IN_A_ROW;
    }
    return { at, room };
  }
}

/** Insertion order where that is topological, Kahn's otherwise. */
function inOrder(graph: Graph): readonly NodeId[] {
  const seen = new Set<NodeId>();
  for (const { id, inputs } of graph.nodes.values()) {
    if (!inputs.every((input) => seen.has(input))) return topological(graph);
    seen.add(id);
  }
  return [...seen];
}
