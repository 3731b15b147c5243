/** @file Totals of a whole plan, which stay up to date region by region, so that a step costs what it changes. */
import { node, type DeviceProfile, type Fusion, type Graph, type Region, type Target, type Totals, bug } from "../ir";
import { openLiveness } from "./liveness";
import { figuresIn, isRefusal, regionFacts, valuesReadBy, type RegionFacts } from "./model";
import { positionsOf, type Positions } from "./positions";
import { targetOf } from "./profiles";
import { fullSizeBytes } from "../kernel";

export interface RunningTotals {
  add(region: Region, facts: RegionFacts): void;
  remove(region: Region, facts: RegionFacts): void;
  /** Call after a rewrite of nodes: an output may be a view of another value now. */
  outputsMoved(): void;
  /** Inputs came or went: the change of their bytes. */
  inputsChanged(bytes: number): void;
  totals(): Totals;
}

/**
 * Empty totals for the regions of `graph`. Its peak is the largest sum of live bytes when every kernel runs
 * where its last member stands in the text: inputs are live throughout, outputs from their kernel to the end, other
 * values from their kernel to their last reader.
 */
export function openRunningTotals(graph: Graph, positions: Positions): RunningTotals {
  const lives = openLiveness(graph, positions.count);
  const sums = { kernels: 0, transfers: 0, fullSizeTransfers: 0, bytes: 0, picoseconds: 0 };
  /** Kernels that the device can't run have an infinite time: they are counted, since a sum never loses infinity again. */
  let endless = 0;
  const change = (region: Region, facts: RegionFacts, sign: 1 | -1): void => {
    const { schedule, traffic, time } = figuresIn(facts);
    sums.kernels += sign * schedule.dispatches;
    sums.transfers += sign * traffic.transfers;
    sums.fullSizeTransfers += sign * traffic.fullSizeTransfers;
    sums.bytes += sign * traffic.bytes;
    // Whole picoseconds add up to the same sum in any order.
    if (time.micros === Infinity) endless += sign;
    else sums.picoseconds += sign * Math.round(time.micros * 1e6);
    if (schedule.dispatches === 0) return;
    const at = Math.ceil(positions.of(node(graph, region.members.at(-1)!)));
    if (traffic.temporaryBytes > 0) lives.partials(at, sign * (schedule.temporaryPeak ?? traffic.temporaryBytes));
    if (traffic.writes.length > 0) for (const value of region.outputs) lives.written(value, sign === 1 ? at : null);
    for (const value of valuesReadBy(facts)) lives.read(value, region.id, sign === 1 ? at : null);
  };
  return {
    add: (region, facts) => change(region, facts, 1),
    remove: (region, facts) => change(region, facts, -1),
    outputsMoved: () => lives.outputsMoved(),
    inputsChanged: (bytes) => lives.inputsChanged(bytes),
    totals: () => ({
      kernels: sums.kernels,
      transfers: sums.transfers,
      fullSizeTransfers: sums.fullSizeTransfers,
      bytes: sums.bytes,
      peakBytes: lives.peakBytes(),
      predictedMicros: endless > 0 ? Infinity : sums.picoseconds / 1e6,
    }),
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
): Totals {
  const runningTotals = openRunningTotals(fusion.graph, positionsOf(fusion.graph));
  for (const region of fusion.regions.values()) {
    const facts = regionFacts(fusion.graph, region, profile, fullSize, target);
    if (isRefusal(facts)) throw bug(`region ${region.id} is no kernel: ${facts.code}`);
    runningTotals.add(region, facts);
  }
  return runningTotals.totals();
}
