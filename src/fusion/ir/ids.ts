/** @file Branded identities. Their spelling is the language's (docs/architecture.md): positions, pins and links hang on them. */

/** Text that only `id-spelling.ts` takes apart: the methods of strings don't compile on it. */
type Opaque = string & {
  readonly [Method in Exclude<keyof string & string, "length" | "localeCompare" | "toString" | "valueOf">]: never;
};

/**
 * A node's identity: its binding name (`y`), a path inside an expression (`y/0/1`), a version (`y@2`),
 * a call or loop instance (`h1/block#0/t`), a composite's part (`h.centre`), or what a pass made (`h.centre~bn-fold`).
 */
export type NodeId = Opaque & { readonly __brand: "NodeId" };
/** A region's identity: the node that named it first, with a prefix, so that it survives merges. */
export type RegionId = Opaque & { readonly __brand: "RegionId" };
/** `producer>consumer:operand`. */
export type EdgeId = Opaque & { readonly __brand: "EdgeId" };

export const nodeId = (text: string): NodeId => text as NodeId;
export const regionId = (text: string): RegionId => text as RegionId;
/** The id, or one like it that is not taken. */
export function freshRegionId(wanted: string, taken: (id: RegionId) => boolean): RegionId {
  let id = regionId(wanted);
  for (let i = 1; taken(id); i++) id = regionId(`${wanted}~${i}`);
  return id;
}
export const edgeId = (producer: NodeId, consumer: NodeId, operand: number): EdgeId =>
  `${producer}>${consumer}:${operand}` as EdgeId;

/** Splits an edge's identity; null when the text is not one. */
export function parseEdgeId(text: string): { producer: NodeId; consumer: NodeId; operand: number } | null {
  const found = /^([^>]+)>(.+):(\d+)$/.exec(text);
  return found ? { producer: nodeId(found[1]!), consumer: nodeId(found[2]!), operand: Number(found[3]) } : null;
}

/** Ops that a step's title names at most. */
const MAX_TITLED = 3;

/** The ops that a step's title and sentence tell of: both ends of the edge, where it decides one between its nodes, else the first of these. */
export function titledOps({
  edges,
  nodes,
}: {
  readonly edges: readonly EdgeId[];
  readonly nodes: readonly NodeId[];
}): readonly NodeId[] {
  const ends = edges.length === 1 ? parseEdgeId(edges[0]!) : null;
  return ends && [ends.producer, ends.consumer].every((id) => nodes.includes(id))
    ? [ends.producer, ends.consumer]
    : nodes.slice(0, MAX_TITLED);
}
