/** @file Loop nests in which no two values have one name, as in the kernel's WGSL: `mul`, `mul_2`. */
import { isLiteral, node, type Fusion, type Graph, type Kernel, type NodeId, type Region, type RegionId } from "./ir";
import * as nests from "./kernel";
import { opDef } from "./ops";

/** The graph with the names that the nest of a region has: what lies in memory keeps its own, then its members in their order. */
function withOwnNames(graph: Graph, members: readonly NodeId[]): Graph {
  const inside = new Set(members);
  const names = new Map<NodeId, string>();
  const used = new Set<string>();
  const name = (id: NodeId): void => {
    const { label, op, inputs } = node(graph, id);
    const { kind, loop } = opDef(op);
    // A view, and what a loop replaces, go by the name of what they read.
    const same = kind === "movement" || loop ? inputs.find((input) => node(graph, input).label === label) : undefined;
    let own = (same !== undefined && names.get(same)) || label;
    for (let count = 2; same === undefined && used.has(own); count++) own = `${label}_${count}`;
    used.add(own);
    names.set(id, own);
  };
  const read = members.flatMap((id) => node(graph, id).inputs);
  const outside = new Set(read.filter((id) => !inside.has(id) && !isLiteral(node(graph, id))));
  [...outside, ...[...graph.nodes.keys()].filter((id) => inside.has(id))].forEach(name);
  const changed = [...names].filter(([id, label]) => node(graph, id).label !== label);
  if (changed.length === 0) return graph;
  const nodes = new Map(graph.nodes);
  for (const [id, label] of changed) nodes.set(id, { ...node(graph, id), label });
  return { ...graph, nodes };
}

/** The loop nest of one kernel that computes all of `region`; see `kernel/show`. */
export const fusedLoops = (
  graph: Graph,
  region: Pick<Region, "members" | "outputs">,
  kernels: readonly Pick<Kernel, "reads">[] = [],
): nests.LoopLine[] => nests.fusedLoops(withOwnNames(graph, region.members), region, kernels);

/** The same ops with one kernel each: a nest for every member, each value through memory. */
export const apartLoops = (graph: Graph, region: Pick<Region, "members">): nests.LoopLine[][] =>
  nests.apartLoops(withOwnNames(graph, region.members), region);

/** The loop nests of a region as text. */
export function loopsOf({ graph, ...fusion }: Fusion, id: RegionId): string[] {
  const members = fusion.regions.get(id)?.members ?? [];
  return nests.loopsOf({ ...fusion, graph: withOwnNames(graph, members) }, id);
}
