/** @file A movement that is exchanged with the elementwise ops below it: what it reaches, and the tree as it stands afterwards. */
import { node, sameShape, type Node, type NodeId, type Shape } from "../../ir";
import { opDef } from "../../ops";
import type { Planner } from "../planner";
import type { NodeChange, Rewriter } from "../rewriter";

/** Elementwise ops that a movement is pushed through at a time. */
const REACH = 32;

/** Elementwise ops that only each other and the movement above them read, and what they read. */
export interface Tree {
  readonly ops: readonly Node[];
  readonly leaves: ReadonlySet<NodeId>;
}

/** Null where the tree is too large; without ops where `top` is a leaf of its own. */
export function treeBelow(planner: Planner, rewriter: Rewriter, top: NodeId, shape: Shape): Tree | null {
  const { graph } = planner;
  const ops: Node[] = [];
  const leaves = new Set<NodeId>();
  const inside = (id: NodeId): boolean => {
    const n = node(graph, id);
    return (
      opDef(n.op).kind === "elementwise" &&
      n.inputs.length > 0 &&
      sameShape(n.type.shape, shape) &&
      rewriter.readersOf(id).size === 1 &&
      !planner.isOutput(id)
    );
  };
  const open = [top];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (!inside(id)) {
      leaves.add(id);
      continue;
    }
    if (ops.length === REACH) return null;
    const n = node(graph, id);
    ops.push(n);
    open.push(...n.inputs);
  }
  return { ops, leaves };
}

/** A new node, and the one in whose regions it stands. */
export interface Beside {
  readonly made: Node;
  readonly beside: NodeId;
}

/** The tree in its new order; its top takes the place of the movement `n`. */
export function withTop(
  planner: Planner,
  rewriter: Rewriter,
  n: Node,
  ops: readonly Node[],
  news: readonly Beside[],
  undone: readonly NodeId[],
): NodeChange {
  const top = ops.find(({ id }) => id === n.inputs[0])!;
  const rest = ops.filter((op) => op !== top);
  const views = news.map(({ made }) => made);
  const inserted = news.map(({ made, beside }) => [made.id, beside] as const);
  if (planner.isOutput(n.id)) {
    const named: Node = {
      ...top,
      id: n.id,
      order: n.order,
      label: n.label,
      origins: [...new Set([...n.origins, ...top.origins])],
      ...(n.span ? { span: n.span } : {}),
    };
    return { gone: [top.id, ...undone], after: [...views, ...rest, named], renamed: [top.id, n.id], inserted };
  }
  const readers = [...rewriter.readersOf(n.id)].map((id) => node(planner.graph, id));
  const again = readers.map((reader) => ({
    ...reader,
    inputs: reader.inputs.map((input) => (input === n.id ? top.id : input)),
  }));
  const marked = { ...top, origins: [...new Set([...top.origins, ...n.origins])] };
  return { gone: [n.id, ...undone], after: [...views, ...rest, marked, ...again], inserted };
}
