/** @file A movement that is exchanged with the ops below it: what it reaches, and the ops as they stand afterwards. */
import { node, type Node, type NodeId } from "../../ir";
import type { Planner } from "../driver/planner";
import type { NodeChange, Rewriter } from "../driver/rewriter";

/** Ops that a movement is pushed through at a time. */
const MAX_OPS = 32;

/** Ops that only each other and the movement above them read, and what they read. */
export interface Tree {
  readonly ops: readonly Node[];
  readonly leaves: ReadonlySet<NodeId>;
}

/** The ops below a movement that it may be exchanged with. Null where they are too many; without ops where `top` is a leaf of its own. */
export function treeBelow(
  planner: Planner,
  rewriter: Rewriter,
  top: NodeId,
  exchanges: (n: Node) => boolean,
): Tree | null {
  const ops: Node[] = [];
  const leaves = new Set<NodeId>();
  /** How many of its readers are in the tree. */
  const reached = new Map<NodeId, number>();
  const open = [top];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const readers = (reached.get(id) ?? 0) + 1;
    reached.set(id, readers);
    leaves.add(id);
    const n = node(planner.graph, id);
    if (n.inputs.length === 0 || planner.isOutput(id) || readers < rewriter.readersOf(id).size || !exchanges(n))
      continue;
    if (ops.length === MAX_OPS) return null;
    leaves.delete(id);
    ops.push(n);
    open.push(...new Set(n.inputs));
  }
  return { ops, leaves };
}

/** A new node, and the one in whose regions it stands. */
export interface Beside {
  readonly made: Node;
  readonly beside: NodeId;
}

/** The tree in its new order; its top replaces the movement `n`. */
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
