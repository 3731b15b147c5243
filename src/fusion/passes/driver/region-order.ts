/** @file An order of regions in which every one stands after what it reads, kept up inside the affected window (Pearce and Kelly 2007). */
import { bug, type NodeId, type Region, type RegionId } from "../../ir";

export interface Neighbours {
  readonly readersOf: (id: RegionId) => Iterable<RegionId>;
  readonly producersOf: (id: RegionId) => Iterable<RegionId>;
}

/** A search this long is given up and answered with "there may be a path": planning stays near-linear. */
const WINDOW = 2048;

export type PathAnswer =
  | { readonly found: false }
  /** First and last region outside on the way back; `searched` when the search was given up. */
  | { readonly found: true; readonly via: RegionId; readonly searched: number };

export interface RegionOrder {
  readonly at: (id: RegionId) => number;
  /** Is there a path that leaves `group` and returns to it? */
  readonly returns: (group: readonly RegionId[]) => PathAnswer;
  /** Replaces `group` (which `returns` found clear) by `merged`, whose neighbours are the group's. */
  readonly merge: (group: readonly RegionId[], merged: RegionId) => void;
}

export function regionOrder(sorted: readonly RegionId[], neighbours: Neighbours): RegionOrder {
  const labels = new Map<RegionId, number>(sorted.map((id, label) => [id, label]));
  const at = (id: RegionId): number => {
    const label = labels.get(id);
    if (label === undefined) throw bug(`region ${id} has no place in the order`);
    return label;
  };
  const bounds = (group: readonly RegionId[]): [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (const id of group) [low, high] = [Math.min(low, at(id)), Math.max(high, at(id))];
    return [low, high];
  };
  /** Regions outside the group that it reaches before `limit`, going `next`. */
  const reach = (
    group: readonly RegionId[],
    next: (id: RegionId) => Iterable<RegionId>,
    inside: (label: number) => boolean,
  ): { seen: Map<RegionId, RegionId>; back: RegionId | null } => {
    const own = new Set(group);
    const seen = new Map<RegionId, RegionId>();
    const open: RegionId[] = [];
    for (const id of group)
      for (const neighbour of next(id)) {
        if (own.has(neighbour) || seen.has(neighbour) || !inside(at(neighbour))) continue;
        seen.set(neighbour, neighbour);
        open.push(neighbour);
      }
    while (open.length > 0) {
      const id = open.pop()!;
      for (const neighbour of next(id)) {
        if (own.has(neighbour)) return { seen, back: seen.get(id)! };
        if (seen.has(neighbour) || !inside(at(neighbour))) continue;
        if (seen.size >= WINDOW) return { seen, back: seen.get(id)! };
        seen.set(neighbour, seen.get(id)!);
        open.push(neighbour);
      }
    }
    return { seen, back: null };
  };
  return {
    at,
    returns(group) {
      const [, high] = bounds(group);
      const { seen, back } = reach(group, neighbours.readersOf, (label) => label < high);
      return back === null ? { found: false } : { found: true, via: back, searched: seen.size };
    },
    merge(group, merged) {
      const [low, high] = bounds(group);
      const after = reach(group, neighbours.readersOf, (label) => label < high).seen;
      const before = reach(group, neighbours.producersOf, (label) => label > low).seen;
      const byLabel = (ids: Iterable<RegionId>): RegionId[] => [...ids].toSorted((a, b) => at(a) - at(b));
      const [first, last] = [byLabel(before.keys()), byLabel(after.keys())];
      const pool = [...first, ...last, ...group].map(at).toSorted((a, b) => a - b);
      first.forEach((id, i) => labels.set(id, pool[i]!));
      last.forEach((id, i) => labels.set(id, pool[pool.length - last.length + i]!));
      for (const id of group) labels.delete(id);
      labels.set(merged, pool[pool.length - last.length - 1]!);
    },
  };
}

/** Regions in text order of their last member where that is an order of execution, else Kahn's. */
export function executionOrder(
  regions: readonly Region[],
  position: (id: NodeId) => number,
  producersOf: (id: RegionId) => Iterable<RegionId>,
): RegionId[] {
  const last = ({ members }: Region): number => position(members.at(-1)!);
  const sorted = regions.toSorted((a, b) => last(a) - last(b)).map(({ id }) => id);
  const seen = new Set<RegionId>();
  for (const id of sorted) {
    for (const producer of producersOf(id)) if (!seen.has(producer)) return kahn(sorted, producersOf);
    seen.add(id);
  }
  return sorted;
}

function kahn(sorted: readonly RegionId[], producersOf: (id: RegionId) => Iterable<RegionId>): RegionId[] {
  const waiting = new Map<RegionId, number>();
  const readers = new Map<RegionId, RegionId[]>();
  for (const id of sorted) {
    let count = 0;
    for (const producer of producersOf(id)) {
      count++;
      const list = readers.get(producer);
      if (list) list.push(id);
      else readers.set(producer, [id]);
    }
    waiting.set(id, count);
  }
  const ready = sorted.filter((id) => waiting.get(id) === 0);
  for (let i = 0; i < ready.length; i++)
    for (const reader of readers.get(ready[i]!) ?? []) {
      waiting.set(reader, waiting.get(reader)! - 1);
      if (waiting.get(reader) === 0) ready.push(reader);
    }
  if (ready.length !== sorted.length) throw bug("the regions have a cycle");
  return ready;
}
