/** @file Invertible changes of a Fusion. A step costs its patch, never a graph. */
import type { Node } from "./graph";
import type { NodeId, RegionId } from "./ids";
import type { Fusion, Region } from "./region";

export interface Patch {
  /** A replaced node is in both lists under the same id. */
  readonly removedNodes: readonly Node[];
  readonly addedNodes: readonly Node[];
  readonly removedRegions: readonly Region[];
  readonly addedRegions: readonly Region[];
  readonly outputs: { readonly before: readonly NodeId[]; readonly after: readonly NodeId[] } | null;
}

export const invert = (patch: Patch): Patch => ({
  removedNodes: patch.addedNodes,
  addedNodes: patch.removedNodes,
  removedRegions: patch.addedRegions,
  addedRegions: patch.removedRegions,
  outputs: patch.outputs && { before: patch.outputs.after, after: patch.outputs.before },
});

/** A Fusion that may be changed in place, by its owner only. */
export interface DraftFusion {
  nodes: Map<NodeId, Node>;
  outputs: readonly NodeId[];
  regions: Map<RegionId, Region>;
}

export const draftOf = ({ graph, regions }: Fusion): DraftFusion => ({
  nodes: new Map(graph.nodes),
  outputs: graph.outputs,
  regions: new Map(regions),
});

/** A Fusion that no longer follows the draft's changes. */
export const freeze = (draft: DraftFusion): Fusion => ({
  graph: { nodes: new Map(draft.nodes), outputs: draft.outputs },
  regions: new Map(draft.regions),
});

/** Changes `draft` in place. Nodes keep no particular order: use `topological`. */
export function applyPatch(draft: DraftFusion, patch: Patch): void {
  const added = new Set<string>(patch.addedNodes.map((node) => node.id));
  for (const { id } of patch.removedNodes) if (!added.has(id)) draft.nodes.delete(id);
  for (const node of patch.addedNodes) draft.nodes.set(node.id, node);
  for (const { id } of patch.removedRegions) draft.regions.delete(id);
  for (const region of patch.addedRegions) draft.regions.set(region.id, region);
  if (patch.outputs) draft.outputs = patch.outputs.after;
}
