/** @file When values are alive: a position in the text for every kernel, an interval for every value, the sum over all of them. */
import { bytesOf, type Graph, isInput, node, type NodeId, type RegionId } from "../ir";
import { resolveView } from "../region";
import { liveProfile } from "./peak-memory";

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
  /** A rewrite may leave some of the value out. */
  bytes: number;
  /** Where it is written; null until its region is entered. */
  home: number | null;
  readonly readers: Map<RegionId, number>;
  /** Positions that the live profile holds now. */
  entered: readonly [number, number] | null;
}

/** Inputs are live throughout, outputs from their kernel to the end, other values from their kernel to their last reader. */
export function openLiveness(graph: Graph, positions: number): Liveness {
  const profile = liveProfile(Math.max(1, positions));
  const end = Math.max(0, positions - 1);
  const lives = new Map<NodeId, Life>();
  const keptNow = (): Set<NodeId> => new Set(graph.outputs.map((id) => resolveView(graph, id)));
  let kept = keptNow();
  let inputs = 0;
  for (const n of graph.nodes.values()) if (isInput(n)) inputs += bytesOf(n.type);
  const lifeOf = (value: NodeId): Life => {
    const known = lives.get(value);
    if (known) return known;
    const life: Life = { bytes: bytesOf(node(graph, value).type), home: null, readers: new Map(), entered: null };
    lives.set(value, life);
    return life;
  };
  const enter = (value: NodeId, life: Life): void => {
    const { entered, bytes } = life;
    const now = reachOf(life, kept.has(value) ? end : null);
    if (entered && now && entered[0] === now[0] && entered[1] === now[1]) return;
    if (entered) profile.add(...entered, -bytes);
    if (now) profile.add(...now, bytes);
    life.entered = now;
  };
  return {
    written(value, at) {
      const life = lifeOf(value);
      life.home = at;
      if (life.entered === null && at !== null) life.bytes = bytesOf(node(graph, value).type);
      enter(value, life);
    },
    read(value, by, at) {
      if (graph.nodes.get(value)?.op === "input") return;
      const life = lifeOf(value);
      const before = life.readers.get(by) ?? at;
      const reach = life.entered;
      if (at === null) life.readers.delete(by);
      else life.readers.set(by, at);
      const within = reach !== null && before !== null && before > reach[0] && before < reach[1];
      if (!within) enter(value, life);
    },
    partials: (at, bytes) => profile.add(at, at, bytes),
    outputsMoved() {
      const before = kept;
      kept = keptNow();
      for (const value of [...before, ...kept]) if (lives.has(value)) enter(value, lives.get(value)!);
    },
    inputsChanged: (bytes) => {
      inputs += bytes;
    },
    peakBytes: () => inputs + profile.peak(),
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
