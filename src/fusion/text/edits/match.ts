/** @file Which node of one graph is which of another when an edit has moved identities: by op, attributes and operands. */
import { type Attrs, type Graph, isHole, isInput, type Node, type NodeId } from "../../ir";

const attrKey = (attrs: Attrs): string =>
  Object.keys(attrs)
    .sort()
    .map((name) => `${name}=${String(attrs[name])}`)
    .join(";");

/** Holes are alike; inputs are themselves. */
function dictKey(node: Node, operand: (id: NodeId) => string): string {
  const inputs = node.inputs.map(operand).join(",");
  const own = isInput(node) ? `${node.type.dtype}[${node.type.shape.join()}]` : "";
  return `${node.op}(${inputs}){${attrKey(node.attrs)}}${own}`;
}

export interface Match {
  /** Old identity to new, for every node that was found again. */
  readonly ids: ReadonlyMap<NodeId, NodeId>;
  /** Every node of either graph was found in the other, and the outputs agree. */
  readonly complete: boolean;
}

/** Nodes of `graph` in an order where inputs come first; false when there is none. */
function ordered(graph: Graph): readonly Node[] {
  const done = new Set<NodeId>();
  const out: Node[] = [];
  const left: NodeId[] = [...graph.nodes.keys()].reverse();
  const open = new Set<NodeId>();
  for (let id = left.at(-1); id !== undefined; id = left.at(-1)) {
    const node = graph.nodes.get(id);
    const waiting = node && !done.has(id) && !open.has(id) ? node.inputs.filter((input) => !done.has(input)) : [];
    if (node && !done.has(id) && waiting.length > 0) {
      open.add(id);
      left.push(...waiting);
      continue;
    }
    left.pop();
    if (node && !done.has(id)) {
      done.add(id);
      out.push(node);
    }
  }
  return out;
}

/** Pairs the nodes of `before` with those of `after`. Among equals the one of the same name is taken first, then the first. */
export function matchGraphs(before: Graph, after: Graph): Match {
  const candidates = new Map<string, NodeId[]>();
  const isOpen = ({ nodes }: Graph, id: NodeId): boolean => isHole(nodes.get(id) ?? { op: "" });
  for (const node of after.nodes.values()) {
    if (isHole(node)) continue;
    const key = dictKey(node, (id) => (isOpen(after, id) ? "…" : id));
    const list = candidates.get(key);
    if (list) list.push(node.id);
    else candidates.set(key, [node.id]);
  }
  const ids = new Map<NodeId, NodeId>();
  let complete = true;
  let left = [...after.nodes.values()].filter((node) => !isHole(node)).length;
  for (const node of ordered(before)) {
    if (isHole(node)) continue;
    const list = candidates.get(dictKey(node, (id) => (isOpen(before, id) ? "…" : (ids.get(id) ?? `?${id}`))));
    const same = list?.indexOf(node.id) ?? -1;
    const found = list?.splice(Math.max(same, 0), 1)[0];
    if (found === undefined) complete = false;
    else {
      ids.set(node.id, found);
      left--;
    }
  }
  const outputs = before.outputs.map((id) => ids.get(id) ?? id);
  const agree =
    outputs.length === after.outputs.length && [...outputs].sort().join() === [...after.outputs].sort().join();
  return { ids, complete: complete && left === 0 && agree };
}

/** Only what changed. */
export const changedIds = ({ ids }: Match): ReadonlyMap<NodeId, NodeId> =>
  new Map([...ids].filter(([from, to]) => from !== to));
