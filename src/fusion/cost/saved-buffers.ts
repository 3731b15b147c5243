/** @file What a plan keeps of the forward pass until the backward pass has read it. */
import { bytesOf, type Fusion, isInput, node, type NodeId } from "../ir";
import { storedInputs } from "../kernel";

export interface SavedBuffer {
  readonly value: NodeId;
  readonly bytes: number;
}

/** Stored values of the forward pass that kernels of the backward pass read, in graph order; inputs are there anyway and are not among them. */
export function savedBuffers({ graph, regions }: Fusion): readonly SavedBuffer[] {
  const late = (id: NodeId): boolean => node(graph, id).phase === "backward";
  const read = new Set<NodeId>();
  for (const { members } of regions.values())
    if (members.some(late)) for (const id of storedInputs(graph, members)) read.add(id);
  const saved = [...graph.nodes.values()].filter((n) => read.has(n.id) && !isInput(n) && !late(n.id));
  return saved.map(({ id, type }) => ({ value: id, bytes: bytesOf(type) }));
}
