/** @file How a folded constant is computed before the run: the weights it comes from and a few ops on them, as nodes of its own. */
import { bug, node, nodeId, type Attrs, type Graph, type Node, type NodeId, type TensorType } from "../../ir";
import { opDef, withDefaults } from "../../ops";

export interface Recipe {
  /** The value `id` of the graph, with everything it is computed of. */
  readonly take: (id: NodeId) => NodeId;
  readonly literal: (value: number) => NodeId;
  readonly op: (name: string, inputs: readonly NodeId[], attrs?: Attrs) => NodeId;
  readonly typeOf: (id: NodeId) => TensorType;
  /** An input that holds `value`: known before the run, never computed in it. */
  readonly folded: (value: NodeId, made: Pick<Node, "id" | "order" | "label" | "origins">) => Node;
}

/** @param prefix begins the names of what the recipe makes */
export function openRecipe(graph: Graph, prefix: NodeId): Recipe {
  const nodes = new Map<NodeId, Node>();
  const taken = new Map<NodeId, NodeId>();
  let made = 0;
  const add = (n: Node): NodeId => {
    nodes.set(n.id, n);
    return n.id;
  };
  const make = (op: string, inputs: readonly NodeId[], attrs: Attrs, type: TensorType): NodeId =>
    add({ id: nodeId(`${prefix}~${made++}`), op, inputs, attrs, type, label: op, origins: [], groups: [] });
  const takeOne = (id: NodeId): void => {
    const n = node(graph, id);
    for (const each of n.recipe ?? []) add(each);
    const value = n.recipe?.at(-1)?.id;
    taken.set(id, value ?? add({ ...n, inputs: n.inputs.map((input) => taken.get(input)!) }));
  };
  const typeOf = (id: NodeId): TensorType => nodes.get(id)!.type;
  return {
    typeOf,
    take(id) {
      const open = [id];
      while (open.length > 0) {
        const current = open.at(-1)!;
        const waiting = taken.has(current) ? [] : node(graph, current).inputs.filter((input) => !taken.has(input));
        open.push(...waiting);
        if (waiting.length > 0) continue;
        open.pop();
        if (!taken.has(current)) takeOne(current);
      }
      return taken.get(id)!;
    },
    literal: (value) => make("const", [], { value }, { dtype: "f32", shape: [] }),
    op(name, inputs, attrs = {}) {
      const def = opDef(name);
      const all = withDefaults(def, attrs);
      const type = def.infer(inputs.map(typeOf), all);
      if (!type.ok) throw bug(`a recipe's ${name}: ${type.text}`);
      return make(name, inputs, all, type.value);
    },
    folded: (value, { id, order, label, origins }) => ({
      id,
      order,
      op: "input",
      inputs: [],
      attrs: withDefaults(opDef("input"), { role: "const", source: "folded" }),
      type: typeOf(value),
      label,
      origins,
      groups: [],
      recipe: closure(nodes, value),
    }),
  };
}

/** What `value` needs, in order of computation; itself last. */
function closure(nodes: ReadonlyMap<NodeId, Node>, value: NodeId): Node[] {
  const needed = new Set([value]);
  for (const id of needed) for (const input of nodes.get(id)!.inputs) needed.add(input);
  const rest = [...nodes.values()].filter(({ id }) => id !== value && needed.has(id));
  return [...rest, nodes.get(value)!];
}
