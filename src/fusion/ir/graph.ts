/**
 * @file The graph: a flat list of nodes in static single assignment form, one output each. Rewriting is patch.ts's business.
 * @about input, const, hole: they are the leaves of a graph, not ops that a kernel computes.
 */
import type { NodeId } from "./ids";
import type { Standing, TextOrder } from "./text-order";
import type { TensorType } from "./types";
import { bug } from "./bug";

export type AttrValue = number | boolean | string | null | readonly number[];
export type Attrs = Readonly<Record<string, AttrValue>>;

/** Half-open range of UTF-16 offsets in the text. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A call, an iteration of a loop or a composite that a node is part of; outermost first in `Node.groups`. */
export interface GroupRef {
  readonly kind: "composite" | "def" | "loop";
  /** Identity of the instance: `h` for `h = layer_norm(x)`, `h1/block#0` for a call. */
  readonly id: string;
  /** What to write on it: `layer_norm`, `block`, `for i`. */
  readonly label: string;
  /** A composite that was written out op by op, and that a pass has found: its ops keep their own names. */
  readonly recognised?: true;
}

export interface Node {
  readonly id: NodeId;
  /** Where it stands in the text's order, when a pass made it; absent: where it is written. */
  readonly order?: TextOrder;
  /** Name in the op registry: `relu`, `matmul`, `input`, `const`, `hole` … */
  readonly op: string;
  readonly inputs: readonly NodeId[];
  readonly attrs: Attrs;
  readonly type: TensorType;
  /** What its value is called in code: the binding name, the composite's part, or the op. What the node is called: `nodeName`. */
  readonly label: string;
  /** Source nodes this node came from, itself included when it is one. Every rewrite keeps the set. */
  readonly origins: readonly NodeId[];
  readonly groups: readonly GroupRef[];
  /** Where the text says it; absent for what a pass made. */
  readonly span?: Span;
  /** A derivative of reverse mode, or computed from one: it runs after the forward pass. Absent: part of the forward pass. */
  readonly phase?: "backward";
  /** The outermost call of `checkpoint` that it was computed in: its inside is recomputed in the backward pass. */
  readonly segment?: string;
  /** The value whose cotangent this is. */
  readonly cotangentOf?: NodeId;
  /** Its value is rounded to its dtype wherever it is read, as memory would keep it: see `docs/decisions/0009-halves.md`. */
  readonly rounded?: true;
  /** An `input` that a pass folded: what computes it, once and before the run, from inputs alone. The last node is its value. */
  readonly recipe?: readonly Node[];
}

export interface Graph {
  /** In insertion order; the source graph's order is topological, a rewritten one's need not be (use `topological`). */
  readonly nodes: ReadonlyMap<NodeId, Node>;
  readonly outputs: readonly NodeId[];
}

/** A step of training: the next one begins with `value`, one of the outputs, instead of `input`. Both have one type. */
export interface Update {
  readonly input: NodeId;
  readonly value: NodeId;
}

/** A graph of some nodes of another one, with outputs of its own: its inputs no longer say which output replaces them. */
export function partOf(nodes: Iterable<Node>, outputs: readonly NodeId[]): Graph {
  const alone = (n: Node): Node => {
    if (!("next" in n.attrs)) return n;
    const { next: _, ...attrs } = n.attrs;
    return { ...n, attrs };
  };
  return { nodes: new Map([...nodes].map((n) => [n.id, alone(n)])), outputs };
}

/** The node `id`; it must exist. */
export function node(graph: Graph, id: NodeId): Node {
  const found = graph.nodes.get(id);
  if (!found) throw bug(`no node ${id}`);
  return found;
}

/** The node `id`, or null. */
export const findNode = (graph: Graph, id: NodeId): Node | null => graph.nodes.get(id) ?? null;

/**
 * A node's identity and position, with the room that is left before it: behind what it reads, which passes may have made for it before.
 */
export function standingOf(graph: Graph, { id, order, inputs }: Node): Standing {
  const { before, by, room } = order ?? { before: id, by: 0, room: 1 };
  const gaps = inputs.flatMap((input) => {
    const read = node(graph, input).order;
    return read?.before === before && read.by > by ? [read.by - by] : [];
  });
  const nearest = Math.min(room, ...gaps);
  return nearest === room ? { id, ...(order && { order }) } : { id, order: { before, by, room: nearest } };
}

type Op = Pick<Node, "op">;

/** Data that comes from outside the program. */
export const isInput = ({ op }: Op): boolean => op === "input";
/** A number written in the program: part of a kernel's text, no byte of memory. */
export const isLiteral = ({ op }: Op): boolean => op === "const";
/** An operand that is drawn but not connected yet. */
export const isHole = ({ op }: Op): boolean => op === "hole";
/** No kernel computes it: an input, a number or a hole. (Iota reads nothing either, and is computed.) */
export const isSource = (n: Op): boolean => isInput(n) || isLiteral(n) || isHole(n);

/** The number that a literal stands for; null of any other node. */
export const valueOfLiteral = (n: Pick<Node, "op" | "attrs">): number | null =>
  isLiteral(n) ? Number(n.attrs["value"]) : null;
/** The same by id. */
export const literalOf = (graph: Graph, id: NodeId): number | null => valueOfLiteral(node(graph, id));

/** The value of each operand that is a literal, null of the others. */
export const literalsOf = (graph: Graph, inputs: readonly NodeId[]): (number | null)[] =>
  inputs.map((id) => literalOf(graph, id));

export interface Use {
  readonly consumer: NodeId;
  readonly operand: number;
}

const usesCache = new WeakMap<Graph, ReadonlyMap<NodeId, readonly Use[]>>();

/** Graphs whose nodes still change: what is known of one now is not known of it later. */
const liveGraphs = new WeakSet<Graph>();

/** Says that the nodes of `graph` will change in place, so that nothing derived from them may be cached. */
export function markLive(graph: Graph): Graph {
  liveGraphs.add(graph);
  return graph;
}

/** Readers of every node, in graph order. Computed once for a finished graph, at every call for a live one. */
export function usesOf(graph: Graph): ReadonlyMap<NodeId, readonly Use[]> {
  const cached = usesCache.get(graph);
  if (cached) return cached;
  const uses = new Map<NodeId, Use[]>();
  for (const id of graph.nodes.keys()) uses.set(id, []);
  for (const { id, inputs } of graph.nodes.values()) {
    inputs.forEach((input, operand) => uses.get(input)?.push({ consumer: id, operand }));
  }
  if (!liveGraphs.has(graph)) usesCache.set(graph, uses);
  return uses;
}

/** Kahn's order, stable with respect to insertion order; throws on a cycle (a bug of ours: the text cannot write one). */
export function topological(graph: Graph): NodeId[] {
  const waiting = new Map<NodeId, number>();
  const readers = new Map<NodeId, NodeId[]>();
  const ready: NodeId[] = [];
  for (const { id, inputs } of graph.nodes.values()) {
    waiting.set(id, inputs.length);
    if (inputs.length === 0) ready.push(id);
    for (const input of inputs) {
      const list = readers.get(input);
      if (list) list.push(id);
      else readers.set(input, [id]);
    }
  }
  for (let i = 0; i < ready.length; i++) {
    for (const reader of readers.get(ready[i]!) ?? []) {
      const left = waiting.get(reader)! - 1;
      waiting.set(reader, left);
      if (left === 0) ready.push(reader);
    }
  }
  if (ready.length !== graph.nodes.size) throw bug("the graph has a cycle");
  return ready;
}

/** The name that the text binds each output of a graph to, the last one where there are several; null where it has none. */
export function outputNames(
  { outputs }: Graph,
  symbols: readonly { readonly name: string; readonly node: NodeId | null }[],
): readonly (string | null)[] {
  const named = new Map(symbols.flatMap(({ name, node: id }) => (id === null ? [] : [[id, name] as const])));
  return outputs.map((id) => named.get(id) ?? null);
}

/**
 * What a node is called on its box, in titles, in sentences and in the names of kernels. What was written is called by its op
 * or call, whatever its result is bound to: `log` of `y = log(x)`, `layer_norm` of `h = layer_norm(x)`. An input, what a call
 * is made of, what a loop computes, and a derivative have names of their own: `x`, `centre`, `count`, `d_w`.
 */
export function nodeName(node: Node): string {
  const { id, op, label, groups, attrs } = node;
  if (attrs["iterations"] !== undefined) return label;
  if (isInput(node) || isLiteral(node) || node.cotangentOf !== undefined) return label;
  const call = groups.find(({ kind, recognised }) => kind === "composite" && !recognised);
  if (!call) return op;
  return call.id === id ? call.label : label;
}
