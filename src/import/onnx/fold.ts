/** @file Computes one op on known numbers, by the same meaning as the reference interpreter. */
import {
  findOp,
  nodeId,
  runReference,
  type Attrs,
  type Graph,
  type Node,
  type NodeId,
  type TensorType,
} from "../../fusion";
import type { HostTensor } from "./tensor";

const source = (id: NodeId, type: TensorType): Node => ({
  id,
  op: "input",
  inputs: [],
  attrs: { role: "input", source: "values" },
  type,
  label: id,
  origins: [id],
  groups: [],
});

/** Numbers of the op alone. */
function valuesOf(op: string, inputs: readonly HostTensor[], attrs: Attrs, type: TensorType): Float64Array | null {
  const ids = inputs.map((_, i) => nodeId(`in${i}`));
  const result = nodeId("out");
  const nodes = new Map<NodeId, Node>(
    inputs.map(({ dtype, dims }, i) => [ids[i]!, source(ids[i]!, { dtype, shape: dims })]),
  );
  nodes.set(result, { id: result, op, inputs: ids, attrs, type, label: op, origins: [result], groups: [] });
  const graph: Graph = { nodes, outputs: [result] };
  const values = runReference(graph, new Map(inputs.map(({ data }, i) => [ids[i]!, data])), { precision: "f64" });
  return values.get(result)?.data ?? null;
}

/** Arithmetic of int64 as that of f64, which has 53 of its digits; null where the result is no such number. */
function wideValues(op: string, inputs: readonly HostTensor[], attrs: Attrs, type: TensorType): Float64Array | null {
  if (findOp(op)?.kind !== "elementwise" || !inputs.some(({ wide }) => wide)) return null;
  const real = <T extends { readonly dtype: TensorType["dtype"] }>(one: T): T =>
    one.dtype === "i32" ? { ...one, dtype: "f32" } : one;
  const data = valuesOf(op, inputs.map(real), attrs, real(type));
  return data?.every(Number.isSafeInteger) ? data : null;
}

/** The folded result; null where the op can't be evaluated alone. int64 stays int64 through shape arithmetic. */
export function foldOp(op: string, inputs: readonly HostTensor[], attrs: Attrs, type: TensorType): HostTensor | null {
  const wide = inputs.some((input) => input.wide) && type.dtype === "i32";
  const data = (wide ? wideValues(op, inputs, attrs, type) : null) ?? valuesOf(op, inputs, attrs, type);
  return data ? { dtype: type.dtype, dims: type.shape, data, wide } : null;
}
