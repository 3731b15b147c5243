/** @file Totals of a whole state, which stay up to date region by region, so that a step costs what it changes. */
import { bug, node, type DeviceProfile, type Fusion, type Graph, type Region, type Sums, type Target } from "../ir";
import { openLiveness } from "./liveness";
import { figuresIn, isRefusal, regionFacts, valuesReadBy, type RegionFacts } from "./model";
import type { Positions } from "./positions";
import { targetOf } from "./profiles";
import { fullSizeBytes } from "../kernel";

/** What adds up over regions, some of which may be taken away again. */
export interface RunningSums {
  add(facts: RegionFacts): void;
  remove(facts: RegionFacts): void;
  totals(): Sums;
}

/** Sums over no regions. */
export function openSums(): RunningSums {
  const sums = { kernels: 0, transfers: 0, fullSizeTransfers: 0, bytes: 0, picoseconds: 0 };
  /** Kernels that the device can't run have an infinite time: they are counted, since a sum never loses infinity again. */
  let endless = 0;
  const change = (facts: RegionFacts, sign: 1 | -1): void => {
    const { schedule, traffic, time } = figuresIn(facts);
    sums.kernels += sign * schedule.dispatches;
    sums.transfers += sign * traffic.transfers;
    sums.fullSizeTransfers += sign * traffic.fullSizeTransfers;
    sums.bytes += sign * traffic.bytes;
    // Whole picoseconds add up to the same sum in any order.
    if (time.micros === Infinity) endless += sign;
    else sums.picoseconds += sign * Math.round(time.micros * 1e6);
  };
  return {
    add: (facts) => change(facts, 1),
    remove: (facts) => change(facts, -1),
    totals: () => ({
      kernels: sums.kernels,
      transfers: sums.transfers,
      fullSizeTransfers: sums.fullSizeTransfers,
      bytes: sums.bytes,
      predictedMicros: endless > 0 ? Infinity : sums.picoseconds / 1e6,
    }),
  };
}

export interface RunningPeak {
  add(region: Region, facts: RegionFacts): void;
  remove(region: Region): void;
  /** Call after a rewrite of nodes: an output may be a view of another value now. */
  outputsMoved(): void;
  /** Inputs came or went: the change of their bytes. */
  inputsChanged(bytes: number): void;
  peakBytes(): number;
}

/**
 * Most bytes alive when the regions of `graph`, none so far, run in the order of the text: each where its last member stands, or with
 * the first one that reads what it stores. All kernels of a region count as one. No plan made of the regions has a higher peak.
 */
export function openPeak(graph: Graph, positions: Positions): RunningPeak {
  const lives = openLiveness(graph, positions.count);
  return {
    add(region, facts) {
      const { schedule, traffic } = figuresIn(facts);
      if (schedule.dispatches === 0) return;
      lives.enter(region.id, {
        at: Math.ceil(positions.of(node(graph, region.members.at(-1)!))),
        stores: traffic.writes.length > 0 ? region.outputs : [],
        reads: valuesReadBy(facts),
        partials: traffic.temporaryBytes > 0 ? (schedule.temporaryPeak ?? traffic.temporaryBytes) : 0,
      });
    },
    remove: ({ id }) => lives.leave(id),
    outputsMoved: () => lives.outputsMoved(),
    inputsChanged: (bytes) => lives.inputsChanged(bytes),
    peakBytes: () => lives.peakBytes(),
  };
}

/**
 * Totals of a fusion state, counted from scratch.
 * @param fullSize bytes from which an event is full-size; by default a quarter of this graph's largest tensor
 * @param target whose schedules are counted
 */
export function totalsOf(
  fusion: Fusion,
  profile: DeviceProfile,
  fullSize: number = fullSizeBytes(fusion.graph),
  target: Target = targetOf(profile),
): Sums {
  const sums = openSums();
  for (const region of fusion.regions.values()) {
    const facts = regionFacts(fusion.graph, region, profile, fullSize, target);
    if (isRefusal(facts)) throw bug(`region ${region.id} is no kernel: ${facts.code}`);
    sums.add(facts);
  }
  return sums.totals();
}
