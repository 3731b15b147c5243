/** @file What a plan keeps of the forward pass until the backward pass has read it. */
import { bytesOf, type Fusion, type Graph, isInput, node, type NodeId } from "../ir";
import { neededBy, storedInputs } from "../kernel";

export interface SavedBuffer {
  readonly value: NodeId;
  readonly bytes: number;
}

/**
 * Of what a kernel with these members reads, values of the forward pass that its backward members are computed from: what it reads for
 * a forward pass in the same kernel is not saved for backward. Inputs are there anyway and are not among them.
 */
export function savedFor(graph: Graph, members: readonly NodeId[]): readonly NodeId[] {
  const isLate = (id: NodeId): boolean => node(graph, id).phase === "backward";
  const late = members.filter(isLate);
  if (late.length === 0) return [];
  const needed = neededBy((id) => node(graph, id), members, late);
  return storedInputs(graph, needed).filter((id) => !isLate(id) && !isInput(node(graph, id)));
}

/** Stored values of the forward pass that the backward pass reads, in graph order. */
export function savedBuffers({ graph, regions }: Fusion): readonly SavedBuffer[] {
  const read = new Set([...regions.values()].flatMap(({ members }) => savedFor(graph, members)));
  const saved = [...graph.nodes.values()].filter(({ id }) => read.has(id));
  return saved.map(({ id, type }) => ({ value: id, bytes: bytesOf(type) }));
}
