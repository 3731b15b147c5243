/** @file Random ops of a program that trains draw anew in each step: they read a count of steps, which goes on like any state. */
import { findNode, type Graph, type Node, type NodeId, nodeId, type TensorType, type Update } from "../ir";
import { opDef, withDefaults } from "../ops";

const COUNT: TensorType = { dtype: "i32", shape: [] };

const draws = ({ op, inputs, attrs }: Node): boolean =>
  opDef(op).kind === "random" && inputs.length === 1 && attrs["training"] !== false;

/** The graph with a count of steps that its random ops read, and the count's own update; as it is where it trains or draws nothing. */
export function withDraws(
  graph: Graph,
  updates: readonly Update[],
): { readonly graph: Graph; readonly updates: readonly Update[] } {
  if (updates.length === 0 || ![...graph.nodes.values()].some(draws)) return { graph, updates };
  const free = (wanted: string): NodeId => {
    let id = nodeId(wanted);
    for (let again = 2; findNode(graph, id); again++) id = nodeId(`${wanted}@${again}`);
    return id;
  };
  const [count, one, next] = ["draws", "draws.one", "draws.next"].map(free) as [NodeId, NodeId, NodeId];
  const made = (id: NodeId, op: string, inputs: readonly NodeId[], attrs: Node["attrs"]): Node => ({
    id,
    op,
    inputs,
    attrs,
    type: COUNT,
    label: op === "const" ? "1" : "draws",
    origins: [id],
    groups: [],
  });
  const added = [
    made(count, "input", [], withDefaults(opDef("input"), { source: "zeros", role: "state" })),
    made(one, "const", [], { value: 1 }),
    made(next, "add", [count, one], {}),
  ];
  const nodes = [...added, ...graph.nodes.values()].map((each): readonly [NodeId, Node] => [
    each.id,
    draws(each) ? { ...each, inputs: [...each.inputs, count] } : each,
  ]);
  return {
    graph: { nodes: new Map(nodes), outputs: graph.outputs },
    updates: [...updates, { input: count, value: next }],
  };
}
