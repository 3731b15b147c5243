/**
 * @file Tests of a value against what follows from it (x = max(x), where a maximum sends its gradient): both sides must come from one
 * copy. Computed twice, the value may differ in its last bit, and then no element is the largest: 0 / 0 in the gradient.
 */
import { isSource, node, type Graph, type Node, type NodeId, type Use } from "../../ir";
import { opDef } from "../../ops";
import { isFreeView } from "../../kernel";
import { isLate, type SavedSet, type Partition } from "./partition";

export interface OneCopy extends SavedSet {
  /** What is not saved after all, and the value that it is held against. */
  readonly dropped: ReadonlyMap<NodeId, NodeId>;
}

/** `found` without those saved values that a test holds against a value that is computed again: they are computed from that one. */
export function fromOneCopy(graph: Graph, { primals }: Partition, found: SavedSet): OneCopy {
  const positions = new Map(primals.map((id, at) => [id, at]));
  const ids = new Set(found.ids);
  const early = new Set(found.early);
  const dropped = new Map<NodeId, NodeId>();
  for (const id of primals) {
    const test = node(graph, id);
    if (!isLate(test) || test.type.dtype !== "bool" || ids.has(id)) continue;
    for (const [value, against] of [test.inputs, test.inputs.toReversed()] as (readonly NodeId[])[]) {
      if (value === undefined || against === undefined) continue;
      const copied = behindViews(graph, value);
      if (ids.has(copied) || isSource(node(graph, copied))) continue;
      for (const between of followingFrom(graph, copied, against, positions)) {
        if (ids.delete(between)) dropped.set(between, copied);
        early.delete(between);
      }
    }
  }
  return { ids, early, dropped };
}

/** A value that a test of the backward pass holds against `id`, where one of the two follows from the other: rounding either parts them. */
export function heldAgainst(graph: Graph, id: NodeId, uses: ReadonlyMap<NodeId, readonly Use[]>): NodeId | null {
  const moved = new Set([id]);
  for (const at of moved)
    for (const { consumer } of uses.get(at)!) {
      const reader = node(graph, consumer);
      if (moves(reader)) moved.add(consumer);
      if (!isLate(reader) || reader.type.dtype !== "bool") continue;
      const other = reader.inputs.find((input) => !moved.has(input));
      if (other === undefined) continue;
      const against = behindMoves(graph, other);
      if (follows(graph, id, against) || follows(graph, against, id)) return against;
    }
  return null;
}

/** Whether the elements of its result are those of its operand. */
const moves = ({ op }: Node): boolean => opDef(op).kind === "movement";

function behindMoves(graph: Graph, id: NodeId): NodeId {
  let at = id;
  while (moves(node(graph, at))) at = node(graph, at).inputs[0]!;
  return at;
}

function follows(graph: Graph, first: NodeId, last: NodeId): boolean {
  const behind = new Set([last]);
  for (const id of behind) for (const input of node(graph, id).inputs) behind.add(input);
  return behind.has(first);
}

const behindViews = (graph: Graph, id: NodeId): NodeId => {
  let at = id;
  while (isFreeView(node(graph, at))) at = node(graph, at).inputs[0]!;
  return at;
};

/** `last` and what it is computed from, as far as that follows from `first`; without `first`. Operands come first in `positions`. */
function followingFrom(graph: Graph, first: NodeId, last: NodeId, positions: ReadonlyMap<NodeId, number>): NodeId[] {
  const begin = positions.get(first)!;
  const behind = new Set([last]);
  for (const id of behind)
    for (const input of node(graph, id).inputs) if ((positions.get(input) ?? -1) > begin) behind.add(input);
  const follows = new Set([first]);
  for (const id of [...behind].toSorted((a, b) => (positions.get(a) ?? -1) - (positions.get(b) ?? -1)))
    if (node(graph, id).inputs.some((input) => follows.has(input))) follows.add(id);
  follows.delete(first);
  return [...follows];
}
