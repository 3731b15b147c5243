/** @file When values are alive: a position for every kernel, an interval for every value, the sum over all of them. */
import { bytesOf, type Graph, isInput, node, type NodeId, type RegionId } from "../ir";
import { resolveView } from "../kernel";

/** What a kernel does to memory. */
export interface Visit {
  /** Where it stands in the text. */
  readonly at: number;
  readonly stores: readonly NodeId[];
  readonly reads: readonly NodeId[];
  /** Bytes alive with it alone. */
  readonly partials: number;
}

export interface Liveness {
  enter(region: RegionId, visit: Visit): void;
  leave(region: RegionId): void;
  /** The outputs may be views of other values now. */
  outputsMoved(): void;
  /** Inputs came or went: the change of their bytes. */
  inputsChanged(bytes: number): void;
  peakBytes(): number;
}

/** Positions and bytes that the live profile holds. */
type Entered = readonly [from: number, to: number, bytes: number];

interface Kernel {
  readonly at: number;
  readonly partials: number;
  readonly stores: readonly Life[];
  readonly reads: readonly Life[];
  /** Where it runs: at its position, or with the first kernel that reads what it stores. */
  runs: number;
  entered: Entered | null;
}

interface Life {
  readonly value: NodeId;
  /** A rewrite may leave some of the value out. */
  bytes: number;
  /** What stores it; null until that is entered. */
  home: Kernel | null;
  readonly readers: Set<Kernel>;
  entered: Entered | null;
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
  const kernels = new Map<RegionId, Kernel>();
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
      readers: new Set(),
      entered: null,
    };
    lives.set(value, life);
    return life;
  };
  /** What may have changed since the peak was last asked for: most of what a step takes away it puts back. */
  const changed = new Set<Life>();
  const rescheduled = new Set<Kernel>();
  /** Puts into the profile what belongs there now, in place of what does. */
  const settle = (held: Kernel | Life, now: Entered | null): void => {
    const { entered } = held;
    if (entered && now && entered.every((each, i) => each === now[i])) return;
    if (entered) profile.add(entered[0], entered[1], -entered[2]);
    if (now) profile.add(...now);
    held.entered = now;
  };
  const touch = ({ stores, reads, runs }: Kernel): void => {
    for (const life of stores) changed.add(life);
    for (const life of reads) if (!isWithin(life.entered, runs)) changed.add(life);
  };
  /** Who stores what a kernel reads may have to run with it, or need no longer. */
  const askProducers = ({ reads, runs }: Kernel): void => {
    for (const { home } of reads) if (home && (runs < home.runs || home.runs < home.at)) rescheduled.add(home);
  };
  const reschedule = (kernel: Kernel): void => {
    const runs = firstOf(kernel);
    if (runs === kernel.runs) return;
    touch(kernel);
    kernel.runs = runs;
    touch(kernel);
    askProducers(kernel);
    settle(kernel, partialsOf(kernel));
  };
  return {
    enter(region, { at, stores, reads, partials }) {
      const read = reads.filter((id) => graph.nodes.get(id)?.op !== "input").map(lifeOf);
      const kernel: Kernel = { at, partials, stores: stores.map(lifeOf), reads: read, runs: at, entered: null };
      kernels.set(region, kernel);
      for (const life of kernel.stores) {
        if (life.home === null) life.bytes = bytesOf(node(graph, life.value).type);
        life.home = kernel;
      }
      for (const life of read) life.readers.add(kernel);
      touch(kernel);
      rescheduled.add(kernel);
      askProducers(kernel);
      settle(kernel, partialsOf(kernel));
    },
    leave(region) {
      const kernel = kernels.get(region);
      if (!kernel) return;
      kernels.delete(region);
      rescheduled.delete(kernel);
      for (const life of kernel.stores) if (life.home === kernel) life.home = null;
      for (const life of kernel.reads) life.readers.delete(kernel);
      touch(kernel);
      askProducers(kernel);
      settle(kernel, null);
    },
    outputsMoved() {
      const before = outputs;
      outputs = outputsNow();
      for (const value of [...before, ...outputs]) if (lives.has(value)) changed.add(lives.get(value)!);
    },
    inputsChanged: (bytes) => {
      inputs += bytes;
    },
    peakBytes() {
      for (const kernel of rescheduled) {
        rescheduled.delete(kernel);
        reschedule(kernel);
      }
      for (const life of changed) settle(life, reachOf(life, outputs.has(life.value) ? end : null));
      changed.clear();
      return inputs + profile.peak();
    },
  };
}

/** Where a kernel runs, by where the readers of what it stores do. */
function firstOf(kernel: Kernel): number {
  let first = kernel.at;
  for (const { readers } of kernel.stores)
    for (const reader of readers) if (reader !== kernel && reader.runs < first) first = reader.runs;
  return first;
}

/** Whether a value is alive at a position, and before and after it. */
const isWithin = (entered: Entered | null, at: number): boolean =>
  entered !== null && entered[0] < at && at < entered[1];

const partialsOf = ({ runs, partials }: Kernel): Entered | null => (partials > 0 ? [runs, runs, partials] : null);

/** First and last position at which a value is alive, and its bytes; null before it is stored. */
function reachOf({ home, readers, bytes }: Life, end: number | null): Entered | null {
  if (home === null) return null;
  let last = end ?? home.runs;
  for (const { runs } of readers) if (runs > last) last = runs;
  return [home.runs, last, bytes];
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
