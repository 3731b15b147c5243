/** @file Masks by position: whoever reads one computes it itself. */
import { type Graph, isLiteral, node, type Node, type NodeId, type Region } from "../../ir";
import { hidesBlocks, neededBy } from "../../kernel";
import { opDef, type OpKind } from "../../ops";
import type { Planner } from "./planner";
import { SEARCH_LIMIT } from "./use-def";

/** What an element may be made of tile by tile. */
export const BETWEEN: ReadonlySet<OpKind> = new Set<OpKind>(["elementwise", "random", "movement"]);

/** Does the value depend on indices alone, as masks by position do? Then nobody need save it. */
export function dependsOnIndices(graph: Graph, id: NodeId): boolean {
  const behind = new Set([id]);
  for (const each of behind) {
    const n = node(graph, each);
    if (behind.size > SEARCH_LIMIT || !(isLiteral(n) || BETWEEN.has(opDef(n.op).kind))) return false;
    for (const input of n.inputs) behind.add(input);
  }
  return !isLiteral(node(graph, id));
}

/** With what depends on indices alone, as masks by position do: whoever reads it will compute it, also where others read it too. */
export function withMasks({ graph, position }: Planner, members: readonly NodeId[]): NodeId[] {
  const all = new Set(members);
  for (const id of all)
    for (const input of node(graph, id).inputs)
      if (!members.includes(id) || dependsOnIndices(graph, input)) all.add(input);
  return [...all].toSorted((a, b) => position(a) - position(b));
}

/** A product and a kernel of its rows after a mask moved from the second to the first. */
interface MaskedProduct {
  readonly value: NodeId;
  readonly mask: NodeId;
  readonly add: readonly [Region, Region];
}

/** Where the first that `reader` does with a value of `product` is to hide blocks of it by position: both, with that done by the product. */
export function maskFirst(planner: Planner, product: Region, reader: Region): MaskedProduct | null {
  const { graph } = planner;
  const nodeOf = (id: NodeId): Node => node(graph, id);
  const inside = new Set(reader.members);
  const read = product.outputs.filter(
    (id) => !inside.has(id) && reader.members.some((each) => nodeOf(each).inputs.includes(id)),
  );
  const [value] = read;
  if (value === undefined || read.length > 1) return null;
  const [first, ...others] = reader.members.filter((id) => nodeOf(id).inputs.includes(value));
  if (first === undefined || others.length > 0 || reader.outputs.includes(first)) return null;
  if (!hidesBlocks(graph, nodeOf(first), value)) return null;
  const rest = neededBy(
    nodeOf,
    reader.members.filter((id) => id !== first),
    reader.outputs,
  );
  const isRead = (id: NodeId): boolean =>
    planner.isOutput(id) ||
    planner
      .readersOf(product.id)
      .some((other) => other !== reader.id && planner.inputsOf(planner.region(other)).includes(id));
  const outputs = [...product.outputs.filter((id) => id !== value || isRead(id)), first];
  const before = neededBy(nodeOf, reader.members, [first]);
  const masked = { id: product.id, members: withMasks(planner, [...product.members, ...before]), outputs };
  return { value, mask: first, add: [masked, { ...reader, members: rest }] };
}
