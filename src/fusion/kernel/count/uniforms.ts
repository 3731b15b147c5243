/** @file Parameters that a kernel binds as uniforms: WebGPU counts those apart, so that many small ones need not split a kernel. */
import { bytesOf, type Graph, isInput, node, type Node, type NodeId, sizeOf } from "../../ir";

/** What every device binds as one uniform, bytes (maxUniformBufferBindingSize), and how many such buffers (maxUniformBuffersPerShaderStage). */
const MAX_UNIFORM_BYTES = 65_536;
const MAX_UNIFORMS = 12;

/** An input of the program, small and of whole vectors, or less than one: uniforms are walked in steps of 16 bytes, the least that a buffer has. */
export function mayBeUniform(n: Node): boolean {
  const { attrs, type } = n;
  return (
    isInput(n) &&
    attrs["role"] !== undefined &&
    type.dtype === "f32" &&
    (sizeOf(type.shape) % 4 === 0 || sizeOf(type.shape) < 4) &&
    sizeOf(type.shape) > 0 &&
    bytesOf(type) <= MAX_UNIFORM_BYTES
  );
}

/**
 * Those of `reads` that are bound as uniforms: none while everything fits the storage bindings, else as many of the smallest
 * parameters as it takes.
 * @param bound values that the kernel reads or writes
 * @param limit storage bindings that a kernel may have
 */
export function uniformsOf(graph: Graph, reads: readonly NodeId[], bound: number, limit: number): ReadonlySet<NodeId> {
  if (bound <= limit) return new Set();
  const small = reads.filter((id) => graph.nodes.has(id) && mayBeUniform(node(graph, id)));
  const bySize = small.toSorted((a, b) => bytesOf(node(graph, a).type) - bytesOf(node(graph, b).type));
  return new Set(bySize.slice(0, Math.min(bound - limit, MAX_UNIFORMS)));
}
