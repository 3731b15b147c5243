/** @file Computes one op on known numbers, by the same meaning as the reference interpreter. */
import { nodeId, runReference, type Attrs, type Graph, type Node, type NodeId, type TensorType } from "../../fusion";
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

/** The folded result; null where the op can't be evaluated alone. int64 stays int64 through shape arithmetic. */
export function foldOp(op: string, inputs: readonly HostTensor[], attrs: Attrs, type: TensorType): HostTensor | null {
  const ids = inputs.map((_, i) => nodeId(`in${i}`));
  const result = nodeId("out");
  const nodes = new Map<NodeId, Node>(
    inputs.map(({ dtype, dims }, i) => [ids[i]!, source(ids[i]!, { dtype, shape: dims })]),
  );
  nodes.set(result, { id: result, op, inputs: ids, attrs, type, label: op, origins: [result], groups: [] });
  const graph: Graph = { nodes, outputs: [result] };
  const values = runReference(graph, new Map(inputs.map(({ data }, i) => [ids[i]!, data])), { precision: "f64" });
  const data = values.get(result)?.data;
  return data
    ? { dtype: type.dtype, dims: type.shape, data, wide: inputs.some(({ wide }) => wide) && type.dtype === "i32" }
    : null;
}
