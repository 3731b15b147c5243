/** @file Candidates that move a producer into its readers, a copy into each. */
import { node, type EdgeId, type NodeId, type Region } from "../../ir";
import { neededBy } from "../../kernel";
import type { Candidate } from "./define";
import { edgesBetween, nodesOf, unionOf, unreadBeside } from "./merge";
import type { Planner } from "./planner";

/** A reader that computes what it needs of the producer itself. */
type CopyInto = (producer: Region, reader: Region) => Region;

const needed = (planner: Planner, members: readonly NodeId[], { outputs }: Region): readonly NodeId[] =>
  neededBy((id) => node(planner.graph, id), members, outputs);

function copyInto(planner: Planner, producer: Region, reader: Region): Region {
  const { id, outputs } = reader;
  return { id, members: needed(planner, unionOf(planner, [producer, reader]), reader), outputs };
}

/**
 * `copyInto`, each pair once: of a producer whose readers change one by one only what changed is made and priced again.
 * Holds as long as no node is rewritten.
 */
export function rememberedCopies(planner: Planner): CopyInto {
  const known = new WeakMap<Region, WeakMap<Region, Region>>();
  /** Whether the outputs need all members. */
  const wholes = new WeakMap<Region, boolean>();
  const isWhole = (region: Region): boolean => {
    let whole = wholes.get(region);
    if (whole === undefined) {
      whole = needed(planner, region.members, region) === region.members;
      wholes.set(region, whole);
    }
    return whole;
  };
  const copy = (producer: Region, reader: Region): Region => {
    const reads = planner.inputsOf(reader);
    const { id, outputs } = reader;
    const takesAll = isWhole(producer) && isWhole(reader) && producer.outputs.every((output) => reads.includes(output));
    const made = takesAll
      ? { id, members: unionOf(planner, [producer, reader]), outputs }
      : copyInto(planner, producer, reader);
    wholes.set(made, true);
    return made;
  };
  return (producer, reader) => {
    let copies = known.get(producer);
    if (!copies) known.set(producer, (copies = new WeakMap()));
    let copied = copies.get(reader);
    if (!copied) copies.set(reader, (copied = copy(producer, reader)));
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
    storesProducer = false,
    copied = (from, into) => copyInto(planner, from, into),
  }: {
    readonly storesProducer?: boolean;
    readonly copied?: CopyInto;
  } = {},
): Candidate {
  let edges: readonly EdgeId[] | null = null;
  let nodes: readonly NodeId[] | null = null;
  let remove: readonly Region[] | null = null;
  const add = readers.map((reader) => copied(producer, reader));
  const taken = (): readonly Region[] => {
    const unread = unreadBeside(planner, [producer, ...readers]);
    // One reader may compute a value that another one goes on to load.
    const loaded = new Set(unread.length === 0 ? [] : add.flatMap(planner.inputsOf));
    const gone = unread.filter(({ outputs }) => !outputs.some((id) => loaded.has(id)));
    return [...(storesProducer ? [] : [producer]), ...readers, ...gone];
  };
  // Most copies are priced and never proposed.
  return {
    rule,
    kind: "fuse",
    get edges() {
      return (edges ??= readers.flatMap((reader) => edgesBetween(planner, producer, reader)));
    },
    get nodes() {
      return (nodes ??= nodesOf(this.edges, producer));
    },
    get remove() {
      return (remove ??= taken());
    },
    add,
    into: readers.length === 1 ? readers[0]!.id : null,
    merged: [],
  };
}
