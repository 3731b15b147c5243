/** @file What is laid out: the union of the nodes of all steps, so that stepping moves nothing. Pure. */
import { blocksAmong, bytesOf, edgeId, opensFolded } from "../../fusion";
import type { Compilation, EdgeId, Graph, Node, NodeId, Region } from "../../fusion";
import { foldBox, outputPillOf } from "../../document";
import type { Position } from "../../document";

export interface LayoutNode {
  readonly id: NodeId;
  readonly kind: "op" | "input" | "output" | "folded";
  /** Bytes of the value: the largest ones make the main column. */
  readonly bytes: number;
  /** A step removes it: it gets a place, but the columns do not follow it. */
  readonly guest: boolean;
  /** Of the backward pass, which has a column of its own; an input that only it reads is a part of it. */
  readonly late: boolean;
}

export interface LayoutEdge {
  readonly id: EdgeId;
  /** Indices into `nodes`; a producer comes before its readers. */
  readonly from: number;
  readonly to: number;
  /** One kernel computes both ends from the start: no pipe will ever need room here. */
  readonly inner: boolean;
}

export interface LayoutRequest {
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
  /** `lanes` is linear in the graph: for very large graphs and for a second try after a time-out. */
  readonly engine: "auto" | "lanes";
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Shaped like the store's `Layout`. */
export interface GraphLayout {
  readonly boxes: ReadonlyMap<NodeId, Box>;
  readonly bends: ReadonlyMap<EdgeId, readonly Position[]>;
  readonly width: number;
  readonly height: number;
}

const isDrawn = (node: Node): boolean => node.op !== "const" && node.op !== "hole";

/** The nodes of every step, producers first, and the edges of every step. Scalar constants and holes have no box. */
export function layoutRequest(compilation: Pick<Compilation, "naive" | "drawn" | "steps">): LayoutRequest {
  const graph = compilation.naive?.graph ?? compilation.drawn;
  const versions = new Map<NodeId, Node[]>();
  const add = (node: Node): void => {
    const known = versions.get(node.id);
    if (known) known.push(node);
    else versions.set(node.id, [node]);
  };
  for (const node of graph.nodes.values()) if (isDrawn(node)) add(node);
  for (const { patch } of compilation.steps) for (const node of patch?.addedNodes ?? []) if (isDrawn(node)) add(node);
  const outputs = new Set(graph.outputs);
  for (const { patch } of compilation.steps) for (const id of patch?.outputs?.after ?? []) outputs.add(id);
  const homes = homesOf(compilation.naive?.regions.values() ?? []);
  return requestOf(versions, outputs, leftAtEnd(graph, compilation.steps), homes);
}

function homesOf(regions: Iterable<Region>): ReadonlyMap<NodeId, Region> {
  const homes = new Map<NodeId, Region>();
  for (const region of regions) for (const id of region.members) homes.set(id, region);
  return homes;
}

function leftAtEnd(graph: Graph, steps: Compilation["steps"]): ReadonlySet<NodeId> {
  const left = new Set(graph.nodes.keys());
  for (const { patch } of steps) {
    for (const { id } of patch?.removedNodes ?? []) left.delete(id);
    for (const { id } of patch?.addedNodes ?? []) left.add(id);
  }
  return left;
}

/** The same for a single graph: a text whose holes keep it from compiling. */
export const drawnRequest = (drawn: Graph): LayoutRequest => layoutRequest({ naive: null, drawn, steps: [] });

function requestOf(
  versions: ReadonlyMap<NodeId, readonly Node[]>,
  outputs: ReadonlySet<NodeId>,
  left: ReadonlySet<NodeId>,
  homes: ReadonlyMap<NodeId, Region>,
): LayoutRequest {
  const order = inOrder(versions);
  const nodes: LayoutNode[] = [];
  const index = new Map<NodeId, number>();
  for (const id of order) {
    const node = versions.get(id)![0]!;
    index.set(id, nodes.length);
    nodes.push({
      id,
      kind: node.op === "input" ? "input" : "op",
      bytes: bytesOf(node.type),
      guest: !left.has(id),
      late: node.phase === "backward",
    });
  }
  const edges = new Map<EdgeId, LayoutEdge>();
  for (const [id, list] of versions) {
    const to = index.get(id)!;
    for (const { inputs } of list) {
      inputs.forEach((input, operand) => {
        const from = index.get(input);
        if (from === undefined || from >= to) return;
        const edge = edgeId(input, id, operand);
        const home = homes.get(input);
        edges.set(edge, { id: edge, from, to, inner: home !== undefined && home === homes.get(id) });
      });
    }
  }
  for (const id of outputs) {
    const from = index.get(id);
    if (from === undefined) continue;
    const pill = outputPillOf(id);
    edges.set(edgeId(id, pill, 0), { id: edgeId(id, pill, 0), from, to: nodes.length, inner: false });
    const { bytes, guest, late } = nodes[from]!;
    nodes.push({ id: pill, kind: "output", bytes, guest, late });
  }
  const own = withOwnInputs(nodes, edges.values());
  return { nodes: own, edges: [...edges.values()], engine: "auto" };
}

/** An input stands with its readers. */
function withOwnInputs(nodes: readonly LayoutNode[], edges: Iterable<LayoutEdge>): LayoutNode[] {
  const readEarly = new Set<number>();
  const read = new Set<number>();
  for (const { from, to } of edges) {
    read.add(from);
    if (!nodes[to]!.late) readEarly.add(from);
  }
  return nodes.map((node, i) =>
    node.kind === "input" && read.has(i) && !readEarly.has(i) ? { ...node, late: true } : node,
  );
}

/** The box that each node stands in while its series of blocks is folded; empty where none opens folded. */
function foldsOf({ nodes, edges }: LayoutRequest, source: Graph): ReadonlyMap<NodeId, NodeId> {
  const ops = nodes.filter(({ kind }) => kind === "op").map(({ id }) => id);
  const ends = edges.map(({ from, to }) => ({ from: nodes[from]!.id, to: nodes[to]!.id }));
  const blocks = blocksAmong(source, ops, ends);
  const inside = new Map<string, number>();
  for (const id of ops) {
    const block = blocks.get(id);
    if (block) inside.set(block.all, (inside.get(block.all) ?? 0) + 1);
  }
  const folds = new Map<NodeId, NodeId>();
  for (const id of ops) {
    const block = blocks.get(id);
    if (block && opensFolded(inside.get(block.all)!, block.count, ops.length)) folds.set(id, foldBox(block.all));
  }
  return folds;
}

/** An edge, and the boxes that it is between once blocks are folded. */
type FoldedLine = LayoutEdge & { readonly ends: readonly [NodeId, NodeId] };

/** `request` with every series of blocks that opens folded as one box; null where there is none. */
export function foldedRequest(request: LayoutRequest, source: Graph): LayoutRequest | null {
  const folds = foldsOf(request, source);
  if (folds.size === 0) return null;
  const boxOf = (id: NodeId): NodeId => folds.get(id) ?? id;
  const merged = new Map<NodeId, LayoutNode>();
  for (const each of request.nodes) {
    const id = boxOf(each.id);
    const known = merged.get(id);
    const bytes = Math.max(each.bytes, known?.bytes ?? 0);
    merged.set(
      id,
      id === each.id ? each : { id, kind: "folded", bytes, guest: false, late: each.late && (known?.late ?? true) },
    );
  }
  const inputs = new Map<NodeId, NodeId[]>([...merged.keys()].map((id) => [id, []]));
  const lines = new Map<string, FoldedLine>();
  for (const edge of request.edges) {
    const ends = [boxOf(request.nodes[edge.from]!.id), boxOf(request.nodes[edge.to]!.id)] as const;
    if (ends[0] === ends[1] || lines.has(ends.join(">"))) continue;
    lines.set(ends.join(">"), { ...edge, ends });
    inputs.get(ends[1])!.push(ends[0]);
  }
  for (const id of crowding(merged, lines.values())) {
    merged.delete(id);
    inputs.delete(id);
  }
  const order = inOrder(new Map([...inputs].map(([id, list]) => [id, [{ inputs: list }]])));
  const index = new Map(order.map((id, i) => [id, i] as const));
  const edges = [...lines.values()].flatMap(({ id, inner, ends }): LayoutEdge[] => {
    const [from, to] = [index.get(ends[0]), index.get(ends[1])];
    return from === undefined || to === undefined || from >= to ? [] : [{ id, inner, from, to }];
  });
  return { nodes: order.map((id) => merged.get(id)!), edges, engine: request.engine };
}

/** A fold's own inputs but for the three that its first ops read: the rest are drawn as one pill, for which these leave room. */
function crowding(nodes: ReadonlyMap<NodeId, LayoutNode>, lines: Iterable<FoldedLine>): NodeId[] {
  const readers = new Map<NodeId, FoldedLine[]>();
  for (const line of lines) readers.set(line.ends[0], [...(readers.get(line.ends[0]) ?? []), line]);
  const beside = new Map<NodeId, { readonly id: NodeId; readonly at: number }[]>();
  for (const [id, [line, ...others]] of readers) {
    const reader = line!.ends[1];
    if (others.length > 0 || nodes.get(id)?.kind !== "input" || nodes.get(reader)?.kind !== "folded") continue;
    beside.set(reader, [...(beside.get(reader) ?? []), { id, at: line!.to }]);
  }
  return [...beside.values()].flatMap((inputs) =>
    inputs
      .toSorted((a, b) => a.at - b.at)
      .slice(3)
      .map(({ id }) => id),
  );
}

/** Kahn's order over all versions. Two steps may order a pair both ways; the earlier one then wins. */
function inOrder(versions: ReadonlyMap<NodeId, readonly Pick<Node, "inputs">[]>): NodeId[] {
  const waiting = new Map<NodeId, number>();
  const readers = new Map<NodeId, NodeId[]>();
  for (const [id, list] of versions) {
    const inputs = new Set(list.flatMap((node) => node.inputs.filter((input) => versions.has(input))));
    waiting.set(id, inputs.size);
    for (const input of inputs) {
      const known = readers.get(input);
      if (known) known.push(id);
      else readers.set(input, [id]);
    }
  }
  const order: NodeId[] = [];
  const placed = new Set<NodeId>();
  const place = (first: NodeId): void => {
    const ready = [first];
    for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
      if (placed.has(id)) continue;
      placed.add(id);
      order.push(id);
      for (const reader of readers.get(id) ?? []) {
        const left = waiting.get(reader)! - 1;
        waiting.set(reader, left);
        if (left === 0) ready.push(reader);
      }
    }
  };
  for (const [id, count] of waiting) if (count === 0) place(id);
  for (const id of versions.keys()) if (!placed.has(id)) place(id);
  return order;
}
