/** @file When values are alive: a position in the text for every kernel, an interval for every value, the sum over all of them. */
import { bytesOf, type Graph, isInput, node, type NodeId, type RegionId } from "../ir";
import { resolveView } from "../kernel";

export interface Liveness {
  written(value: NodeId, at: number | null): void;
  read(value: NodeId, by: RegionId, at: number | null): void;
  /** Bytes alive at one position alone. */
  partials(at: number, bytes: number): void;
  /** The outputs may be views of other values now. */
  outputsMoved(): void;
  /** Inputs came or went: the change of their bytes. */
  inputsChanged(bytes: number): void;
  peakBytes(): number;
}

interface Life {
  readonly value: NodeId;
  /** A rewrite may leave some of the value out. */
  bytes: number;
  /** Where it is written; null until its region is entered. */
  home: number | null;
  readonly readers: Map<RegionId, number>;
  /** Positions and bytes that the live profile holds now. */
  entered: readonly [from: number, to: number, bytes: number] | null;
}

/**
 * Inputs are live throughout, outputs from their kernel to the end, other values from their kernel to their last reader.
 * @param profile empty
 */
export function openLiveness(
  graph: Graph,
  positions: number,
  profile: LiveProfile = liveProfile(Math.max(1, positions)),
): Liveness {
  const end = Math.max(0, positions - 1);
  const lives = new Map<NodeId, Life>();
  const outputsNow = (): Set<NodeId> => new Set(graph.outputs.map((id) => resolveView(graph, id)));
  let outputs = outputsNow();
  let inputs = 0;
  for (const n of graph.nodes.values()) if (isInput(n)) inputs += bytesOf(n.type);
  const lifeOf = (value: NodeId): Life => {
    const known = lives.get(value);
    if (known) return known;
    const life: Life = {
      value,
      bytes: bytesOf(node(graph, value).type),
      home: null,
      readers: new Map(),
      entered: null,
    };
    lives.set(value, life);
    return life;
  };
  /** Lives that may have changed since the peak was last asked for: most of what a step takes away it puts back. */
  const changed = new Set<Life>();
  const settle = (life: Life): void => {
    const { entered, bytes } = life;
    const now = reachOf(life, outputs.has(life.value) ? end : null);
    if (entered && now && entered[0] === now[0] && entered[1] === now[1] && entered[2] === bytes) return;
    if (entered) profile.add(entered[0], entered[1], -entered[2]);
    if (now) profile.add(...now, bytes);
    life.entered = now && [...now, bytes];
  };
  return {
    written(value, at) {
      const life = lifeOf(value);
      if (life.home === null && at !== null) life.bytes = bytesOf(node(graph, value).type);
      life.home = at;
      changed.add(life);
    },
    read(value, by, at) {
      if (graph.nodes.get(value)?.op === "input") return;
      const life = lifeOf(value);
      const before = life.readers.get(by) ?? at;
      const reach = life.entered;
      if (at === null) life.readers.delete(by);
      else life.readers.set(by, at);
      const within = reach !== null && before !== null && before > reach[0] && before < reach[1];
      if (!within) changed.add(life);
    },
    partials: (at, bytes) => profile.add(at, at, bytes),
    outputsMoved() {
      const before = outputs;
      outputs = outputsNow();
      for (const value of [...before, ...outputs]) if (lives.has(value)) changed.add(lives.get(value)!);
    },
    inputsChanged: (bytes) => {
      inputs += bytes;
    },
    peakBytes() {
      changed.forEach(settle);
      changed.clear();
      return inputs + profile.peak();
    },
  };
}

/** First and last position at which a value is alive; null before it is written. */
function reachOf({ home, readers }: Life, end: number | null): readonly [number, number] | null {
  if (home === null) return null;
  let [first, last] = [home, end ?? home];
  for (const at of readers.values()) {
    if (at < first) first = at;
    if (at > last) last = at;
  }
  return [first, last];
}

/** Sums over ranges of positions and their maximum: the profile of live bytes over a plan, always up to date. */
interface LiveProfile {
  /** Adds `bytes` (may be negative) to positions `from`…`to`, both included. */
  add(from: number, to: number, bytes: number): void;
  /** The largest sum over all positions. */
  peak(): number;
}

/** A segment tree with pending additions at inner nodes; `add` takes O(log positions). */
export function liveProfile(positions: number): LiveProfile {
  let leaves = 1;
  while (leaves < positions) leaves *= 2;
  /** Largest sum in a node's range, its own pending addition included. */
  const most = new Float64Array(2 * leaves);
  const pending = new Float64Array(2 * leaves);
  const lift = (start: number): void => {
    for (let at = start >> 1; at >= 1; at >>= 1) {
      most[at] = Math.max(most[2 * at]!, most[2 * at + 1]!) + pending[at]!;
    }
  };
  const put = (at: number, bytes: number): void => {
    most[at] = most[at]! + bytes;
    pending[at] = pending[at]! + bytes;
  };
  return {
    add(from, to, bytes) {
      let low = from + leaves;
      let high = to + leaves + 1;
      const [first, last] = [low, high - 1];
      for (; low < high; low >>= 1, high >>= 1) {
        if (low & 1) put(low++, bytes);
        if (high & 1) put(--high, bytes);
      }
      lift(first);
      lift(last);
    },
    peak: () => most[1]!,
  };
}
