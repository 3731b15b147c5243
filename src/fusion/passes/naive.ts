/** @file The naive plan: one region per call as written, or one per primitive. State 0 of every compilation. */
import {
  node,
  regionId,
  usesOf,
  type Fusion,
  type Granularity,
  type Graph,
  type NodeId,
  type Region,
  type RegionId,
} from "../ir";
import { classify, isFreeView } from "../region";

/** Memory, literals and holes are no kernel's work. */
const SOURCES: ReadonlySet<string> = new Set(["input", "const", "hole"]);

/** The call that a node is part of, at a granularity: its outermost composite, or itself. */
function callOf(graph: Graph, id: NodeId, granularity: Granularity): string {
  if (granularity === "primitive") return id;
  return node(graph, id).groups.find(({ kind }) => kind === "composite")?.id ?? id;
}

/**
 * One region per kernel of the naive plan. A free view is a region of its own without a kernel; a composite that one kernel
 * can't compute is cut where it must be.
 */
export function naiveFusion(graph: Graph, granularity: Granularity): Fusion {
  const calls = new Map<string, NodeId[]>();
  for (const { id, op } of graph.nodes.values()) {
    if (SOURCES.has(op)) continue;
    const call = callOf(graph, id, granularity);
    const members = calls.get(call);
    if (members) members.push(id);
    else calls.set(call, [id]);
  }
  const outputs = new Set(graph.outputs);
  const regions = new Map<RegionId, Region>();
  for (const members of calls.values()) {
    for (const region of kernelsOf(graph, members, outputs)) regions.set(region.id, region);
  }
  return { graph, regions };
}

/** Values of `members` that somebody outside reads, that are results, or that nobody reads at all. */
function leaving(graph: Graph, members: ReadonlySet<NodeId>, outputs: ReadonlySet<NodeId>): NodeId[] {
  const uses = usesOf(graph);
  return [...members].filter((id) => {
    const readers = uses.get(id)!;
    return outputs.has(id) || readers.length === 0 || readers.some(({ consumer }) => !members.has(consumer));
  });
}

function kernelsOf(graph: Graph, members: readonly NodeId[], outputs: ReadonlySet<NodeId>): Region[] {
  const whole = regionsOf(graph, members, outputs);
  const fits = (region: Region): boolean => classify(graph, region.members, region.outputs).ok;
  if (members.length === 1 || whole.every(fits)) return whole;
  const parts: Region[] = [];
  let rest = members;
  while (rest.length > 0) {
    let take = rest.length;
    while (take > 1 && !regionsOf(graph, rest.slice(0, take), outputs).every(fits)) take--;
    parts.push(...regionsOf(graph, rest.slice(0, take), outputs));
    rest = rest.slice(take);
  }
  return parts;
}

/** The kernel that computes `members`, and a view region for each free view of it that others see. */
export function regionsOf(graph: Graph, members: readonly NodeId[], outputs: ReadonlySet<NodeId>): Region[] {
  const inside = new Set(members);
  const seen = leaving(graph, inside, outputs);
  const views: Region[] = [];
  const stored = new Set<NodeId>();
  for (const id of seen) {
    let current = id;
    while (inside.has(current) && isFreeView(node(graph, current))) {
      if (!views.some((view) => view.members[0] === current)) {
        views.push({ id: regionId(`k:${current}`), members: [current], outputs: [current] });
      }
      current = node(graph, current).inputs[0]!;
    }
    if (inside.has(current)) stored.add(current);
  }
  const inOrder = members.filter((id) => stored.has(id));
  if (inOrder.length === 0) return views;
  const needed = reaching(graph, inside, inOrder);
  const kernel: Region = {
    id: regionId(`k:${inOrder.at(-1)!}`),
    members: members.filter((id) => needed.has(id)),
    outputs: inOrder,
  };
  return [kernel, ...views];
}

/** Members that some of `from` depends on, themselves included. */
function reaching(graph: Graph, inside: ReadonlySet<NodeId>, from: readonly NodeId[]): Set<NodeId> {
  const found = new Set<NodeId>(from);
  const open = [...from];
  while (open.length > 0) {
    for (const input of node(graph, open.pop()!).inputs) {
      if (!inside.has(input) || found.has(input)) continue;
      found.add(input);
      open.push(input);
    }
  }
  return found;
}
