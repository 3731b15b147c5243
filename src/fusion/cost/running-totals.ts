/** @file Totals of a whole plan, kept up to date region by region, so that a step costs what it changes. */
import {
  nodeId,
  type DeviceProfile,
  type Fusion,
  type Graph,
  type NodeId,
  type Region,
  type Target,
  type Totals,
  bug,
} from "../ir";
import { openLiveness } from "./liveness";
import { isRefusal, regionFacts, type RegionFacts } from "./model";
import { positionsOf } from "./positions";

import { targetOf } from "./profiles";
import { fullSizeBytes } from "./traffic";

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
 * Where a kernel counts as running: what passes made for a node stands where the node does (or stood), so that a state
 * counts the same when it is reached by rewriting and when it is read anew.
 */
function slotsOf(positions: ReadonlyMap<NodeId, number>): (id: NodeId) => number {
  const written = (id: NodeId): NodeId => {
    const mark = id.indexOf("~");
    return mark < 0 ? id : nodeId(id.slice(0, mark));
  };
  const slots = new Map<NodeId, number>();
  for (const [id, position] of positions) if (id.includes("~")) slots.set(written(id), position);
  for (const id of slots.keys()) slots.set(id, Math.max(slots.get(id)!, positions.get(id) ?? 0));
  return (id) => slots.get(written(id)) ?? Math.ceil(positions.get(id)!);
}

/**
 * Empty totals for the regions of `graph`. Its peak is the largest sum of live bytes when every kernel runs
 * where its last member stands in the text: inputs are live throughout, outputs from their kernel to the end, other
 * values from their kernel to their last reader.
 */
export function openRunningTotals(graph: Graph, positions: ReadonlyMap<NodeId, number>): RunningTotals {
  const lives = openLiveness(graph, positions.size);
  const slotOf = slotsOf(positions);
  const sums = { kernels: 0, transfers: 0, fullSizeTransfers: 0, bytes: 0, picoseconds: 0 };
  const change = (region: Region, { schedule, traffic, time }: RegionFacts, sign: 1 | -1): void => {
    sums.kernels += sign * schedule.dispatches;
    sums.transfers += sign * traffic.transfers;
    sums.fullSizeTransfers += sign * traffic.fullSizeTransfers;
    sums.bytes += sign * traffic.bytes;
    // Whole picoseconds add up to the same sum in any order.
    sums.picoseconds += sign * Math.round(time.micros * 1e6);
    if (schedule.dispatches === 0) return;
    const at = slotOf(region.members.at(-1)!);
    if (traffic.temporaryBytes > 0) lives.partials(at, sign * (schedule.temporaryPeak ?? traffic.temporaryBytes));
    for (const { value } of traffic.writes) lives.written(value, sign === 1 ? at : null);
    for (const { value } of traffic.reads) lives.read(value, region.id, sign === 1 ? at : null);
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
      predictedMicros: sums.picoseconds / 1e6,
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
