/** @file Which f16 values are rounded where they are made, and not only where memory keeps them. */
import { node, type Graph, type Node, type NodeId } from "../ir";
import { primitive } from "./primitives";

/** A part of a composite computes with what its operands were; the composite's result is a value of its own. */
const isPart = ({ id, groups }: Node): boolean => groups.some((group) => group.kind === "composite" && group.id !== id);

/** The same graph, in which these nodes are rounded to their dtype. */
export function withRounded(graph: Graph, ids: ReadonlySet<NodeId>): Graph {
  if (ids.size === 0) return graph;
  const nodes = new Map(graph.nodes);
  for (const id of ids) nodes.set(id, { ...node(graph, id), rounded: true });
  return { nodes, outputs: graph.outputs };
}

/** What a view shows: where nothing is computed, nothing is rounded. */
function shown(graph: Graph, id: NodeId): Node {
  let n = node(graph, id);
  while (primitive(n.op).movement?.free) n = node(graph, n.inputs[0]!);
  return n;
}

/**
 * f16 values that ops of another result type read: a value leaves f16 only rounded, whether memory stored it on the way or not.
 * Between ops of f16 it may have more digits than memory would keep.
 */
export function leavingHalves(graph: Graph): ReadonlySet<NodeId> {
  const found = new Set<NodeId>();
  for (const { inputs, type } of graph.nodes.values()) {
    if (type.dtype === "f16") continue;
    for (const id of inputs) {
      const read = shown(graph, id);
      if (read.type.dtype === "f16" && primitive(read.op).kind !== "source" && !isPart(read)) found.add(read.id);
    }
  }
  return found;
}
