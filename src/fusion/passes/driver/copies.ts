/** @file Candidates that move a producer into its readers, a copy into each. */
import { node, type EdgeId, type Region } from "../../ir";
import { neededBy } from "../../region";
import type { Candidate } from "./define";
import { edgesBetween, nodesOf, unionOf } from "./merge";
import type { Planner } from "./planner";

/** A reader that computes what it needs of the producer itself, and the reads that then meet no memory. */
export interface Copied {
  readonly region: Region;
  readonly edges: readonly EdgeId[];
}

export function copyInto(planner: Planner, producer: Region, reader: Region): Copied {
  const members = unionOf(planner, [producer, reader]);
  return {
    edges: edgesBetween(planner, producer, reader),
    region: {
      id: reader.id,
      members: neededBy((id) => node(planner.graph, id), members, reader.outputs),
      outputs: reader.outputs,
    },
  };
}

/**
 * `copyInto`, each pair once: of a producer whose readers change one by one only what changed is made and priced again.
 * Holds as long as no node is rewritten.
 */
export function rememberedCopies(planner: Planner): (producer: Region, reader: Region) => Copied {
  const known = new WeakMap<Region, WeakMap<Region, Copied>>();
  return (producer, reader) => {
    let copies = known.get(producer);
    if (!copies) known.set(producer, (copies = new WeakMap()));
    let copied = copies.get(reader);
    if (!copied) copies.set(reader, (copied = copyInto(planner, producer, reader)));
    return copied;
  };
}

/** A candidate that gives every reader its own copy of the producer, which is then stored by nobody. */
export function copyCandidate(
  planner: Planner,
  rule: string,
  producer: Region,
  readers: readonly Region[],
  {
    keepProducer = false,
    copied = (from, into) => copyInto(planner, from, into),
  }: {
    readonly keepProducer?: boolean;
    readonly copied?: (producer: Region, reader: Region) => Copied;
  } = {},
): Candidate {
  const copies = readers.map((reader) => copied(producer, reader));
  const edges = copies.flatMap((copy) => copy.edges);
  return {
    rule,
    kind: "fuse",
    edges,
    nodes: nodesOf(edges, producer),
    remove: [...(keepProducer ? [] : [producer]), ...readers],
    add: copies.map(({ region }) => region),
    into: readers.length === 1 ? readers[0]!.id : null,
    merged: [],
  };
}
