/** @file The lines among ops: which go through memory, which stay in registers, and what a kernel reads to compute a value again. */
import { bytesOf, edgeId, usesOf } from "../../fusion";
import type { EdgeId, Graph, Node, NodeId, RegionId } from "../../fusion";
import { isFreeView } from "../ops";

type LineKind = "memory" | "register" | "view";

export interface SceneEdge {
  readonly id: EdgeId;
  readonly from: NodeId;
  readonly to: NodeId;
  /** All operands that this line feeds: `c · c` is one line. */
  readonly also: readonly EdgeId[];
  readonly operand: number;
  readonly kind: LineKind;
  readonly bytes: number;
  /** px of a memory pipe, 2 to 8. */
  readonly width: number;
  readonly tone: number | null;
  /** Of a value that another kernel computes as well: the reader's kernel computes it again. */
  readonly again?: true;
}

interface Computing {
  readonly region: RegionId;
  readonly members: readonly NodeId[];
  readonly tone: number;
}

interface Drawn {
  readonly graph: Graph;
  readonly kernels: readonly Computing[];
  /** The kernel that each op is drawn in. */
  readonly homes: ReadonlyMap<NodeId, Computing>;
  /** There are regions. */
  readonly planned: boolean;
  readonly bytes: (node: Node) => number;
  readonly largest: number;
}

/** 1 + 2·log2(1 + 7·part of the largest tensor), at least 2: full size 7, half 5, a row vector 2. */
export const pipeWidth = (bytes: number, largest: number): number =>
  Math.max(2, 1 + 2 * Math.log2(1 + (7 * bytes) / Math.max(1, largest)));

const HAIRLINE = 1.5;

const isDrawn = ({ op }: Node): boolean => op !== "const" && op !== "hole";

/** One line per pair of ops, and pipes for what a kernel reads only for ops that are drawn in another one. */
export function linesOf(drawn: Drawn): SceneEdge[] {
  const { graph, homes, planned } = drawn;
  const within = new Map(drawn.kernels.map(({ region, members }) => [region, new Set(members)] as const));
  const lines = new Map<string, SceneEdge>();
  for (const [from, uses] of usesOf(graph)) {
    const producer = graph.nodes.get(from)!;
    if (!isDrawn(producer)) continue;
    for (const { consumer, operand } of uses) {
      const id = edgeId(from, consumer, operand);
      const key = `${from}>${consumer}`;
      const known = lines.get(key);
      if (known) {
        lines.set(key, { ...known, also: [...known.also, id] });
        continue;
      }
      const home = homes.get(consumer);
      const line = { from, to: consumer, also: [id], operand, id };
      if (home && within.get(home.region)!.has(from)) lines.set(key, inRegisters(drawn, line, home));
      else {
        const view = !home && planned && isFreeView(graph.nodes.get(consumer)!.op);
        lines.set(key, throughMemory(drawn, line, view ? "view" : "memory"));
      }
    }
  }
  return onceEach([...lines.values(), ...readAgain(drawn, within)], drawn);
}

type Way = Pick<SceneEdge, "id" | "from" | "to" | "also" | "operand">;

function inRegisters({ graph, homes, bytes }: Drawn, line: Way, { region, tone }: Computing): SceneEdge {
  const again = homes.get(line.from)?.region !== region;
  const value = bytes(graph.nodes.get(line.from)!);
  return { ...line, kind: "register", bytes: value, width: HAIRLINE, tone, ...(again && { again }) };
}

function throughMemory({ graph, bytes, largest }: Drawn, line: Way, kind: "memory" | "view"): SceneEdge {
  const value = bytes(graph.nodes.get(line.from)!);
  return { ...line, kind, bytes: value, width: pipeWidth(value, largest), tone: null };
}

/** What kernels read for ops that are drawn in another kernel: a pipe to the first op of their own that needs it. */
function readAgain(drawn: Drawn, within: ReadonlyMap<RegionId, ReadonlySet<NodeId>>): SceneEdge[] {
  const { graph, kernels, homes } = drawn;
  const found = new Map<string, SceneEdge>();
  for (const { region, members } of kernels) {
    const own = within.get(region)!;
    for (const id of members) {
      if (homes.get(id)?.region === region) continue;
      const to = firstOf(drawn, region, own, id);
      if (to === null) continue;
      for (const [operand, from] of graph.nodes.get(id)!.inputs.entries()) {
        if (own.has(from) || !isDrawn(graph.nodes.get(from)!)) continue;
        const also: EdgeId[] = [edgeId(from, id, operand)];
        const key = `${from}>${to}`;
        const known = found.get(key);
        if (known) {
          found.set(key, { ...known, also: [...known.also, ...also] });
          continue;
        }
        // Behind the operands of its own, so that its identity is no other line's.
        const place = graph.nodes.get(to)!.inputs.length + found.size;
        const way = { id: edgeId(from, to, place), from, to, also, operand: place };
        found.set(key, throughMemory(drawn, way, "memory"));
      }
    }
  }
  return [...found.values()];
}

/** The nearest op after `id` that is drawn in the kernel; null where none is. */
function firstOf({ graph, homes }: Drawn, region: RegionId, own: ReadonlySet<NodeId>, id: NodeId): NodeId | null {
  const uses = usesOf(graph);
  const seen = new Set([id]);
  for (const each of seen) {
    if (homes.get(each)?.region === region) return each;
    for (const { consumer } of uses.get(each) ?? []) if (own.has(consumer)) seen.add(consumer);
  }
  return null;
}

/** A kernel reads a value once, however many of its ops need it: one pipe goes to the largest of them, hairlines to the rest. */
function onceEach(lines: readonly SceneEdge[], { graph, homes }: Drawn): SceneEdge[] {
  const pipes = new Map<string, SceneEdge>();
  const views = new Map(lines.flatMap(({ kind, from, to }) => (kind === "view" ? [[to, from] as const] : [])));
  const stored = (id: NodeId): NodeId => (views.has(id) ? stored(views.get(id)!) : id);
  const pipe = ({ kind, from, to }: SceneEdge): string | null => {
    const region = kind === "memory" ? homes.get(to)?.region : undefined;
    return region === undefined ? null : `${stored(from)}>${region}`;
  };
  const size = ({ to, operand }: SceneEdge): number => {
    const { type, inputs } = graph.nodes.get(to)!;
    return operand < inputs.length ? bytesOf(type) : 0;
  };
  for (const line of lines) {
    const key = pipe(line);
    const known = key === null ? undefined : pipes.get(key);
    if (key !== null && (!known || size(line) > size(known))) pipes.set(key, line);
  }
  return lines.flatMap((line) => {
    const key = pipe(line);
    if (key === null || pipes.get(key) === line) return line;
    // What is read for an op of its own is read for those that it computes again, too.
    if (size(line) === 0) return [];
    return { ...line, kind: "register", width: HAIRLINE, tone: homes.get(line.to)!.tone };
  });
}
