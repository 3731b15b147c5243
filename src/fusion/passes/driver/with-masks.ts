/** @file Masks by position: whoever reads one computes it itself. */
import { type Graph, isLiteral, node, type NodeId } from "../../ir";
import { opDef, type OpKind } from "../../ops";
import type { Planner } from "./planner";
import { SEARCH_LIMIT } from "./use-def";

/** What an element may be made of tile by tile. */
export const BETWEEN: ReadonlySet<OpKind> = new Set<OpKind>(["elementwise", "random", "movement"]);

/** Does the value depend on indices alone, as masks by position do? Then nobody need save it. */
export function dependsOnIndices(graph: Graph, id: NodeId): boolean {
  const behind = new Set([id]);
  for (const each of behind) {
    const n = node(graph, each);
    if (behind.size > SEARCH_LIMIT || !(isLiteral(n) || BETWEEN.has(opDef(n.op).kind))) return false;
    for (const input of n.inputs) behind.add(input);
  }
  return !isLiteral(node(graph, id));
}

/** With what depends on indices alone, as masks by position do: whoever reads it will compute it, also where others read it too. */
export function withMasks({ graph, position }: Planner, members: readonly NodeId[]): NodeId[] {
  const all = new Set(members);
  for (const id of all)
    for (const input of node(graph, id).inputs)
      if (!members.includes(id) || dependsOnIndices(graph, input)) all.add(input);
  return [...all].toSorted((a, b) => position(a) - position(b));
}
