/** @file An order of regions in which every one stands after what it reads, mended inside the affected window (Pearce and Kelly 2007). */
import { bug, type NodeId, type Region, type RegionId } from "../../ir";

export interface Neighbours {
  readonly readersOf: (id: RegionId) => Iterable<RegionId>;
  readonly producersOf: (id: RegionId) => Iterable<RegionId>;
}

/** A search this long is given up and answered with "there may be a path": planning stays near-linear. */
const WINDOW = 2048;

export type PathAnswer =
  | { readonly found: false }
  /** The first region outside, on the way back. */
  | { readonly found: true; readonly via: RegionId };

type Next = (id: RegionId) => Iterable<RegionId>;
type Inside = (label: number) => boolean;

/** Regions outside a group that were met on the way from it, or to it: each with the first of them on its path. */
interface Search {
  readonly seen: Map<RegionId, RegionId>;
  /** Those whose neighbours are still to be asked for begin at `at`. */
  readonly queue: RegionId[];
  at: number;
}

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
    if (label === undefined) throw bug(`region ${id} has no position in the order`);
    return label;
  };
  const bounds = (group: readonly RegionId[]): [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (const id of group) [low, high] = [Math.min(low, at(id)), Math.max(high, at(id))];
    return [low, high];
  };
  /** Begins a search with the neighbours of the group. */
  const leaving = (group: readonly RegionId[], own: ReadonlySet<RegionId>, next: Next, inside: Inside): Search => {
    const search: Search = { seen: new Map(), queue: [], at: 0 };
    for (const id of group)
      for (const neighbour of next(id)) if (!own.has(neighbour)) meet(search, neighbour, neighbour, inside);
    return search;
  };
  const meet = ({ seen, queue }: Search, id: RegionId, first: RegionId, inside: Inside): void => {
    if (seen.has(id) || !inside(at(id))) return;
    seen.set(id, first);
    queue.push(id);
  };
  /** Asks one region for its neighbours. */
  const advance = (search: Search, own: ReadonlySet<RegionId>, next: Next, inside: Inside): void => {
    const id = search.queue[search.at++]!;
    const first = search.seen.get(id)!;
    for (const neighbour of next(id)) if (!own.has(neighbour)) meet(search, neighbour, first, inside);
  };
  const isOpen = ({ queue, at: asked }: Search): boolean => asked < queue.length;
  /** All regions outside the group that it reaches, going `next`. */
  const reach = (group: readonly RegionId[], next: Next, inside: Inside): Iterable<RegionId> => {
    const own = new Set(group);
    const search = leaving(group, own, next, inside);
    while (isOpen(search)) advance(search, own, next, inside);
    return search.seen.keys();
  };
  const { readersOf, producersOf } = neighbours;
  return {
    at,
    // From both ends at once: a short path is found soon, and the smaller side alone shows that there is none.
    returns(group) {
      const [low, high] = bounds(group);
      const own = new Set(group);
      const before: Inside = (label) => label < high;
      const behind: Inside = (label) => label > low;
      const ahead = leaving(group, own, readersOf, before);
      const back = leaving(group, own, producersOf, behind);
      for (const [id, via] of ahead.seen) if (back.seen.has(id)) return { found: true, via };
      while (isOpen(ahead) && isOpen(back)) {
        const forward = ahead.queue.length - ahead.at <= back.queue.length - back.at;
        const [search, other] = forward ? [ahead, back] : [back, ahead];
        const known = search.queue.length;
        advance(search, own, forward ? readersOf : producersOf, forward ? before : behind);
        const met = search.queue.slice(known).find((id) => other.seen.has(id));
        if (met !== undefined) return { found: true, via: ahead.seen.get(met)! };
        if (ahead.seen.size + back.seen.size >= WINDOW) return { found: true, via: ahead.queue[0]! };
      }
      return { found: false };
    },
    merge(group, merged) {
      const [low, high] = bounds(group);
      const byLabel = (ids: Iterable<RegionId>): RegionId[] => [...ids].toSorted((a, b) => at(a) - at(b));
      const last = byLabel(reach(group, readersOf, (label) => label < high));
      const first = byLabel(reach(group, producersOf, (label) => label > low));
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
