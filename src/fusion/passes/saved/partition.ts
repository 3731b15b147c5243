/** @file The two sides of a derivative: what follows from the program's values alone, and what a cotangent flows into. */
import { type Graph, isSource, node, type Node, type NodeId, topological } from "../../ir";

export interface Partition {
  /** What backward nodes with a cotangent in them read, and what that is computed of; operands first. Sources are not among them. */
  readonly primals: readonly NodeId[];
  /** Of these, those that are read by a node with a cotangent in it. */
  readonly asked: ReadonlySet<NodeId>;
}

export interface SavedSet {
  /** Values that go through memory to the backward pass. */
  readonly ids: ReadonlySet<NodeId>;
  /** Backward values without a cotangent that are computed in the forward pass, because less has to be saved then. */
  readonly early: ReadonlySet<NodeId>;
}

/** Computed in the backward pass. */
export const isLate = ({ phase }: Node): boolean => phase === "backward";

/** Null where the graph has no backward pass. */
export function partitionOf(graph: Graph): Partition | null {
  const order = topological(graph);
  const carrying = new Set<NodeId>();
  for (const id of order) {
    const { cotangentOf, inputs } = node(graph, id);
    if (cotangentOf !== undefined || inputs.some((input) => carrying.has(input))) carrying.add(id);
  }
  const late = order.filter((id) => isLate(node(graph, id)));
  if (late.length === 0) return null;
  const isPrimal = (id: NodeId): boolean => !carrying.has(id) && !isSource(node(graph, id));
  const read = [...carrying].flatMap((id) => node(graph, id).inputs);
  const asked = new Set([...read, ...graph.outputs.filter((id) => isLate(node(graph, id)))].filter(isPrimal));
  const needed = new Set(asked);
  for (const id of needed) for (const input of node(graph, id).inputs) if (isPrimal(input)) needed.add(input);
  return { primals: order.filter((id) => needed.has(id)), asked };
}
