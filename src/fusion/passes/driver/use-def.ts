/** @file Who stores and who reads each value, region by region, always up to date as regions come and go. */
import { isLiteral, type Node, type NodeId, type Region, type RegionId } from "../../ir";

/** A search through readers or operands that has met so many nodes gives up: what a rule looks for is near. */
export const SEARCH_LIMIT = 64;

export interface UseDef {
  /** The region that provides a value; null for inputs and constants. */
  readonly homeOf: (value: NodeId) => RegionId | null;
  /** Values that the members take from outside, views as they are written. */
  readonly inputsOf: (region: Region) => readonly NodeId[];
  readonly regionsReading: (value: NodeId) => ReadonlySet<RegionId>;
  /** Distinct regions whose outputs this one reads. */
  readonly producersOf: (region: Region) => readonly RegionId[];
  /** Distinct regions that read an output of this one. */
  readonly readersOf: (region: Region) => readonly RegionId[];
  readonly enter: (region: Region) => void;
  readonly leave: (region: Region) => void;
}

const NOBODY: ReadonlySet<RegionId> = new Set();

/** Of so few a list is searched sooner than a set. */
const FEW = 8;

const distinct = (ids: readonly RegionId[]): readonly RegionId[] => {
  if (ids.length < 2) return ids;
  return ids.length <= FEW ? ids.filter((id, i) => ids.indexOf(id) === i) : [...new Set(ids)];
};

/** @param nodes live: a region is entered when its nodes are what they are, and left before they change */
export function openUseDef(nodes: ReadonlyMap<NodeId, Node>): UseDef {
  const home = new Map<NodeId, RegionId>();
  const reading = new Map<NodeId, Set<RegionId>>();
  const cache = new WeakMap<Region, readonly NodeId[]>();
  const regionsReading = (value: NodeId): ReadonlySet<RegionId> => reading.get(value) ?? NOBODY;
  const inputsOf = (region: Region): readonly NodeId[] => {
    const known = cache.get(region);
    if (known) return known;
    const inputs = outsideInputs(nodes, region);
    cache.set(region, inputs);
    return inputs;
  };
  return {
    homeOf: (value) => home.get(value) ?? null,
    inputsOf,
    regionsReading,
    producersOf(region) {
      const found: RegionId[] = [];
      for (const input of inputsOf(region)) {
        const from = home.get(input);
        if (from !== undefined && from !== region.id) found.push(from);
      }
      return distinct(found);
    },
    readersOf(region) {
      const found: RegionId[] = [];
      for (const output of region.outputs)
        for (const reader of regionsReading(output)) if (reader !== region.id) found.push(reader);
      return distinct(found);
    },
    enter(region) {
      for (const output of region.outputs) home.set(output, region.id);
      for (const input of inputsOf(region)) {
        const set = reading.get(input);
        if (set) set.add(region.id);
        else reading.set(input, new Set([region.id]));
      }
    },
    leave(region) {
      for (const output of region.outputs) if (home.get(output) === region.id) home.delete(output);
      for (const input of inputsOf(region)) reading.get(input)?.delete(region.id);
    },
  };
}

function outsideInputs(nodes: ReadonlyMap<NodeId, Node>, { members }: Region): NodeId[] {
  const known = new Set(members);
  const found: NodeId[] = [];
  for (const member of members) {
    for (const input of nodes.get(member)!.inputs) {
      if (known.has(input)) continue;
      known.add(input);
      if (!isLiteral(nodes.get(input)!)) found.push(input);
    }
  }
  return found;
}
