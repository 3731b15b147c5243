/** @file Small graphs for tests, made op by op with the registry's own type rules. */
import {
  nodeId,
  type Attrs,
  type DType,
  type Graph,
  type Node,
  type NodeId,
  type Shape,
  type TensorType,
} from "../src/fusion/ir";
import { findOp, opDef, withDefaults, type CompositeDef, type GraphBuilder } from "../src/fusion/ops";

/** Makes nodes in order; `b.done(outputs)` gives the graph. */
export class GraphMaker implements GraphBuilder {
  readonly nodes = new Map<NodeId, Node>();

  private put(id: string, op: string, inputs: readonly NodeId[], attrs: Attrs, type: TensorType): NodeId {
    const made = nodeId(this.nodes.has(nodeId(id)) ? `${id}${this.nodes.size}` : id);
    this.nodes.set(made, { id: made, op, inputs, attrs, type, label: made, origins: [made], groups: [] });
    return made;
  }

  input(id: string, shape: Shape, dtype: DType = "f32"): NodeId {
    return this.put(id, "input", [], { role: "input", source: "randn", seed: this.nodes.size }, { dtype, shape });
  }

  scalar(value: number, dtype: DType = "f32"): NodeId {
    return this.put(`c${this.nodes.size}`, "const", [], { value }, { dtype, shape: [] });
  }

  typeOf(id: NodeId): TensorType {
    return this.nodes.get(id)!.type;
  }

  op(id: string, op: string, inputs: readonly NodeId[], attrs: Attrs = {}): NodeId {
    const def = opDef(op);
    const all = withDefaults(def, attrs);
    const type = def.infer(
      inputs.map((input) => this.typeOf(input)),
      all,
    );
    if (!type.ok) throw new Error(`${id} = ${op}: ${type.text}`);
    return this.put(id, op, inputs, all, type.value);
  }

  /** A composite's parts, named `id.part`. */
  call(id: string, op: string, inputs: readonly (NodeId | null)[], attrs: Attrs = {}): NodeId {
    const def = findOp(op) as CompositeDef;
    const within: GraphBuilder = {
      typeOf: (of) => this.typeOf(of),
      scalar: (value, dtype) => this.scalar(value, dtype),
      op: (part, name, operands, given) => this.op(`${id}.${part}`, name, operands, given),
    };
    return def.build(within, inputs, withDefaults(def, attrs));
  }

  done(...outputs: readonly NodeId[]): Graph {
    return { nodes: this.nodes, outputs };
  }
}

/** Everything that is computed: all but inputs and constants. */
export const computed = (graph: Graph): NodeId[] =>
  [...graph.nodes.values()].filter(({ op }) => op !== "input" && op !== "const").map(({ id }) => id);
