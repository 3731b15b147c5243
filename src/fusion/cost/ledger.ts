/** @file Totals of a whole plan, kept up to date region by region, so that a step costs what it changes. */
import {
  bytesOf,
  node,
  topological,
  type DeviceProfile,
  type Fusion,
  type Graph,
  type NodeId,
  type Region,
  type RegionId,
  type Totals,
  bug,
} from "../ir";
import { resolveView } from "../region";
import { isRefusal, regionFacts, type RegionFacts } from "./model";
import { liveProfile } from "./peak";
import { fullSizeBytes } from "./traffic";

export interface Ledger {
  add(region: Region, facts: RegionFacts): void;
  remove(region: Region, facts: RegionFacts): void;
  /** Call after a rewrite of nodes: an output may be a view of another value now. */
  outputsMoved(): void;
  totals(): Totals;
}

interface Life {
  readonly bytes: number;
  /** Where it is written; null until its region is entered. */
  home: number | null;
  readonly readers: Map<RegionId, number>;
  /** Positions that the live profile holds now. */
  entered: readonly [number, number] | null;
}

/** Positions of nodes in the graph's text order (a topological order in every graph that passes make). */
export const positionsOf = (graph: Graph): Map<NodeId, number> =>
  new Map(inOrder(graph).map((id, position) => [id, position]));

/** Insertion order where that is topological, Kahn's otherwise. */
function inOrder(graph: Graph): readonly NodeId[] {
  const seen = new Set<NodeId>();
  for (const { id, inputs } of graph.nodes.values()) {
    if (!inputs.every((input) => seen.has(input))) return topological(graph);
    seen.add(id);
  }
  return [...seen];
}

/**
 * An empty ledger for the regions of `graph`. Its peak is the largest sum of live bytes when every kernel runs
 * where its last member stands in the text: inputs are live throughout, outputs from their kernel to the end, other
 * values from their kernel to their last reader.
 */
export function openLedger(graph: Graph, positions: ReadonlyMap<NodeId, number>): Ledger {
  const profile = liveProfile(Math.max(1, positions.size));
  const end = Math.max(0, positions.size - 1);
  const lives = new Map<NodeId, Life>();
  const keptNow = (): Set<NodeId> => new Set(graph.outputs.map((id) => resolveView(graph, id)));
  let kept = keptNow();
  let inputs = 0;
  for (const n of graph.nodes.values()) if (n.op === "input") inputs += bytesOf(n.type);
  const sums = { kernels: 0, transfers: 0, fullSizeTransfers: 0, bytes: 0, micros: 0 };

  const lifeOf = (value: NodeId): Life => {
    const known = lives.get(value);
    if (known) return known;
    const life: Life = { bytes: bytesOf(node(graph, value).type), home: null, readers: new Map(), entered: null };
    lives.set(value, life);
    return life;
  };
  const enter = (value: NodeId, life: Life): void => {
    const { home, entered } = life;
    if (home === null) {
      if (entered) profile.add(...entered, -life.bytes);
      life.entered = null;
      return;
    }
    let [first, last] = [home, kept.has(value) ? end : home];
    for (const at of life.readers.values()) {
      if (at < first) first = at;
      if (at > last) last = at;
    }
    if (entered && entered[0] === first && entered[1] === last) return;
    if (entered) profile.add(...entered, -life.bytes);
    life.entered = [first, last];
    profile.add(first, last, life.bytes);
  };
  const place = (region: Region): number => positions.get(region.members.at(-1)!)!;
  const tally = ({ schedule, traffic, time }: RegionFacts, sign: 1 | -1): void => {
    sums.kernels += sign * schedule.dispatches;
    sums.transfers += sign * traffic.transfers;
    sums.fullSizeTransfers += sign * traffic.fullSizeTransfers;
    sums.bytes += sign * traffic.bytes;
    sums.micros += sign * time.micros;
  };
  const change = (region: Region, facts: RegionFacts, sign: 1 | -1): void => {
    tally(facts, sign);
    if (facts.schedule.dispatches === 0) return;
    const at = place(region);
    if (facts.traffic.temporaryBytes > 0) profile.add(at, at, sign * facts.traffic.temporaryBytes);
    for (const { value } of facts.traffic.writes) {
      const life = lifeOf(value);
      life.home = sign === 1 ? at : null;
      enter(value, life);
    }
    for (const { value } of facts.traffic.reads) {
      if (graph.nodes.get(value)?.op === "input") continue;
      const life = lifeOf(value);
      const reach = life.entered;
      if (sign === 1) life.readers.set(region.id, at);
      else life.readers.delete(region.id);
      const inner = reach !== null && at > reach[0] && at < reach[1];
      if (!inner) enter(value, life);
    }
  };
  return {
    add: (region, facts) => change(region, facts, 1),
    remove: (region, facts) => change(region, facts, -1),
    outputsMoved: () => {
      const before = kept;
      kept = keptNow();
      for (const value of before) if (!kept.has(value) && lives.has(value)) enter(value, lives.get(value)!);
      for (const value of kept) if (!before.has(value) && lives.has(value)) enter(value, lives.get(value)!);
    },
    totals: () => ({
      kernels: sums.kernels,
      transfers: sums.transfers,
      fullSizeTransfers: sums.fullSizeTransfers,
      bytes: sums.bytes,
      peakBytes: inputs + profile.peak(),
      predictedMicros: sums.micros,
    }),
  };
}

/**
 * Totals of a fusion state, counted from scratch.
 * @param fullSize bytes from which an event is full-size; by default a quarter of this graph's largest tensor
 */
export function totalsOf(
  fusion: Fusion,
  profile: DeviceProfile,
  fullSize: number = fullSizeBytes(fusion.graph),
): Totals {
  const ledger = openLedger(fusion.graph, positionsOf(fusion.graph));
  for (const region of fusion.regions.values()) {
    const facts = regionFacts(fusion.graph, region, profile, fullSize);
    if (isRefusal(facts)) throw bug(`region ${region.id} is no kernel: ${facts.code}`);
    ledger.add(region, facts);
  }
  return ledger.totals();
}
