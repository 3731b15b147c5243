/** @file Of a region's members, those that some of its outputs need. */
import type { Node, NodeId } from "../../ir";

/** Of `members`, in their order, those that `outputs` depend on: of a producer with several results a reader copies what it reads. */
export function neededBy(
  nodeOf: (id: NodeId) => Node,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
): readonly NodeId[] {
  const inside = new Set(members);
  const needed = new Set<NodeId>(outputs);
  const open = [...outputs];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const input of nodeOf(id).inputs) {
      if (!inside.has(input) || needed.has(input)) continue;
      needed.add(input);
      open.push(input);
    }
  }
  return needed.size === members.length ? members : members.filter((id) => needed.has(id));
}
