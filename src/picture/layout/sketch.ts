/** @file Reads off a request what both engines need: adjacency, docked inputs, main operands, sizes. */
import { boxSizes } from "../../document";
import type { BoxKind } from "../../document";
import type { LayoutNode, LayoutRequest } from "./request";

/** What both engines work on: adjacency without doubles, and which inputs sit beside their only reader. */
export interface Sketch {
  readonly nodes: readonly LayoutNode[];
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
  /** The reader an input is docked to, or −1. */
  readonly dock: readonly number[];
  /** The operand that a node continues: the one drawn above it. −1 for none. */
  readonly main: readonly number[];
  /** Pairs that need room for a pipe between them. */
  readonly piped: readonly { readonly from: number; readonly to: number }[];
}

/** Adjacency, docked inputs and main operands. */
export function sketchOf({ nodes, edges }: LayoutRequest): Sketch {
  const before: number[][] = nodes.map(() => []);
  const after: number[][] = nodes.map(() => []);
  for (const { from, to } of edges) {
    if (before[to]!.includes(from)) continue;
    before[to]!.push(from);
    after[from]!.push(to);
  }
  const depth = nodes.map(() => 0);
  nodes.forEach((_, i) => {
    for (const p of before[i]!) depth[i] = Math.max(depth[i]!, depth[p]! + 1);
  });
  const lone = (i: number): boolean => nodes[i]!.kind === "input" && after[i]!.length === 1;
  // A weight that is transposed for its only reader is no more of a main line than the weight itself.
  const aside = (i: number): boolean => {
    const [source, ...others] = before[i]!;
    if (source === undefined) return lone(i);
    const single = others.length === 0 && after[i]!.length === 1 && nodes[i]!.bytes === nodes[source]!.bytes;
    return nodes[i]!.kind === "op" && single && lone(source);
  };
  const main = nodes.map((_, i) => mainOperand(before[i]!, nodes, depth, aside));
  const dock = nodes.map((_, i) => (lone(i) && main[after[i]![0]!] !== i ? after[i]![0]! : -1));
  return { nodes, before, after, dock, main, piped: edges.filter(({ inner }) => !inner) };
}

/** Largest value first, then the longest way behind it. What stands aside and guests only when nothing else is there. */
function mainOperand(
  operands: readonly number[],
  nodes: readonly LayoutNode[],
  depth: readonly number[],
  aside: (i: number) => boolean,
): number {
  let best = -1;
  for (const i of operands) {
    if (best < 0) best = i;
    else if (aside(i) !== aside(best)) best = aside(best) ? i : best;
    else if (nodes[i]!.guest !== nodes[best]!.guest) best = nodes[best]!.guest ? i : best;
    else if (aside(i)) best = nodes[i]!.bytes >= 64 * nodes[best]!.bytes ? i : best;
    else if (nodes[i]!.bytes !== nodes[best]!.bytes) best = nodes[i]!.bytes > nodes[best]!.bytes ? i : best;
    else if (depth[i]! > depth[best]!) best = i;
  }
  return best;
}

/** Drawn size of a node: pills for inputs and outputs, a smaller pill for a docked input. */
export function sizeIn(sketch: Sketch, i: number): { width: number; height: number } {
  const kind: BoxKind = sketch.dock[i]! >= 0 ? "docked" : sketch.nodes[i]!.kind;
  return boxSizes[kind];
}
