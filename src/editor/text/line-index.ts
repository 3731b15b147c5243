/** @file Which ops stand on which line of the text, and back. Pure. */
import { findNode, type Graph, type NodeId, type Span } from "../../fusion";

/** Offsets at which the lines of `text` begin. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** 1-based line that holds `offset`. */
export function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

interface Spanned {
  readonly id: NodeId;
  readonly span: Span;
}

export interface LineIndex {
  /** Nodes whose span begins on the line, in graph order; 1-based. */
  readonly byLine: ReadonlyMap<number, readonly Spanned[]>;
  readonly starts: readonly number[];
}

const cache = new WeakMap<Graph, { text: string; index: LineIndex }>();

/** Remembered while graph and text are the same. */
export function indexLines(graph: Graph, text: string): LineIndex {
  const known = cache.get(graph);
  if (known?.text === text) return known.index;
  const starts = lineStarts(text);
  const byLine = new Map<number, Spanned[]>();
  for (const { id, span, op } of graph.nodes.values()) {
    if (!span || op === "const") continue;
    const line = lineAt(starts, span.from);
    const list = byLine.get(line);
    if (list) list.push({ id, span });
    else byLine.set(line, [{ id, span }]);
  }
  const index = { byLine, starts };
  cache.set(graph, { text, index });
  return index;
}

/** The node written at `offset`: the smallest one around it, else the last of its line (the line's result); null on other lines. */
export function nodeAtOffset({ byLine, starts }: LineIndex, offset: number): NodeId | null {
  const spanned = byLine.get(lineAt(starts, offset)) ?? [];
  const size = ({ span }: Spanned): number => span.to - span.from;
  let best: Spanned | null = null;
  for (const each of spanned) {
    const around = each.span.from <= offset && offset <= each.span.to;
    if (around && (!best || size(each) <= size(best))) best = each;
  }
  return (best ?? spanned.at(-1))?.id ?? null;
}

/** 1-based lines of nodes, each once. A node that a pass made stands where the nodes it came from stand. */
export function linesOf(index: LineIndex, source: Graph, planned: Graph | null, ids: readonly NodeId[]): number[] {
  const lines = new Set<number>();
  for (const id of ids) {
    const origins = [id, ...((planned && findNode(planned, id)?.origins) ?? [])];
    for (const origin of origins) {
      const span = findNode(source, origin)?.span;
      if (span) lines.add(lineAt(index.starts, span.from));
    }
  }
  return [...lines];
}
