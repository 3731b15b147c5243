/** @file What of a region touches memory: free views are looked through, scalar constants are inlined. */
import { type Graph, isLiteral, node, type Node, type NodeId, type Region } from "../../ir";
import { opDef } from "../../ops";

/** A free view shows the same elements in the same order: never a kernel, never a byte. */
export const isFreeView = (n: Node): boolean => opDef(n.op).movement?.free === true;

/** A scalar literal lives in the kernel's text, not in memory. */
export const isInlined = (n: Node): boolean => isLiteral(n);

/** The stored value that `id` shows: free views are walked through to what they look at. */
export function resolveView(graph: Graph, id: NodeId): NodeId {
  let current = node(graph, id);
  while (isFreeView(current)) current = node(graph, current.inputs[0]!);
  return current.id;
}

/** A region of nothing but free views: no launch, no traffic. */
export const isViewRegion = (graph: Graph, region: Pick<Region, "members">): boolean =>
  region.members.every((id) => isFreeView(node(graph, id)));

/** Distinct stored values that `members` read from outside, in first-use order. */
export function storedInputs(graph: Graph, members: readonly NodeId[]): NodeId[] {
  const inside = new Set(members);
  const found = new Set<NodeId>();
  for (const member of members) {
    for (const input of node(graph, member).inputs) {
      if (inside.has(input)) continue;
      const stored = resolveView(graph, input);
      if (!isInlined(node(graph, stored))) found.add(stored);
    }
  }
  return [...found];
}
