/** @file The state that passes work on: graph, regions, who reads whom, facts and totals, all kept up to date patch by patch. */
import {
  applyPatch,
  bug,
  invert,
  type DeviceProfile,
  type DraftFusion,
  type Fusion,
  type Graph,
  type NodeId,
  type Patch,
  type Region,
  type RegionId,
  type Totals,
  type Verdict,
} from "../ir";
import { isRefusal, openLedger, positionsOf, type Ledger, type RegionFacts } from "../cost";
import { isViewRegion } from "../region";
import type { PlanOptions } from "./define";
import { regionOrder, type RegionOrder } from "./order";
import type { Pricing } from "./pricing";

/** Live: the graph and the maps change with every accepted step. */
export interface Planner {
  readonly options: PlanOptions;
  readonly profile: DeviceProfile;
  readonly graph: Graph;
  readonly regions: ReadonlyMap<RegionId, Region>;
  readonly order: RegionOrder;
  /** Regions of the naive plan: every place in the order is below it. */
  readonly regionCount: number;
  /** Bytes from which an event is full-size. */
  readonly fullSize: number;
  readonly region: (id: RegionId) => Region;
  /** Place in the text; every list of members is sorted by it. */
  readonly position: (id: NodeId) => number;
  readonly isOutput: (id: NodeId) => boolean;
  readonly isView: (region: Region) => boolean;
  /** The region that provides a value; null for inputs and constants. */
  readonly homeOf: (value: NodeId) => RegionId | null;
  /** Values that the members take from outside, views as they are written. */
  readonly inputsOf: (region: Region) => readonly NodeId[];
  readonly regionsReading: (value: NodeId) => ReadonlySet<RegionId>;
  /** Distinct regions that read an output of this one, in order. */
  readonly readersOf: (id: RegionId) => readonly RegionId[];
  /** Distinct regions whose outputs this one reads, in order. */
  readonly producersOf: (id: RegionId) => readonly RegionId[];
  /** Counts and times of a region, existing or proposed; a verdict when one kernel can't compute it. */
  readonly facts: (region: Region) => RegionFacts | Verdict;
  /** The same for a region known to be a kernel. */
  readonly factsOf: (region: Region) => RegionFacts;
  /** Runs `ask` as if the nodes of the patch were already rewritten. */
  readonly supposing: <T>(patch: Patch, ask: () => T) => T;
  /** Peak bytes if these regions were exchanged. */
  readonly peakAfter: (remove: readonly Region[], add: readonly Region[]) => number;
  /** @param merged regions that became one; empty when readers took copies */
  readonly apply: (patch: Patch, merged: readonly RegionId[]) => void;
  /** After rewrites and splits: a fresh order of all regions. */
  readonly reorder: () => void;
  readonly totals: () => Totals;
  /** The state as plain data that no longer changes. */
  readonly fusion: () => Fusion;
}

const NOBODY: ReadonlySet<RegionId> = new Set();

/** Regions in text order of their last member where that is an order of execution, else Kahn's. */
function executionOrder(
  regions: readonly Region[],
  position: (id: NodeId) => number,
  producersOf: (id: RegionId) => Iterable<RegionId>,
): RegionId[] {
  const last = ({ members }: Region): number => position(members.at(-1)!);
  const sorted = regions.toSorted((a, b) => last(a) - last(b)).map(({ id }) => id);
  const seen = new Set<RegionId>();
  let fine = true;
  for (const id of sorted) {
    for (const producer of producersOf(id)) fine &&= seen.has(producer);
    seen.add(id);
  }
  if (fine) return sorted;
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

/**
 * The draft as plain data: nodes in text order (what passes made comes first), regions in that of their last members.
 * The same state gives the same order, whichever way it was reached.
 */
export function inTextOrder(draft: DraftFusion, position: (id: NodeId) => number): Fusion {
  const nodes = [...draft.nodes.values()].toSorted((a, b) => position(a.id) - position(b.id) || (a.id < b.id ? -1 : 1));
  const last = ({ members }: Region): number => position(members.at(-1)!);
  const regions = [...draft.regions.values()].toSorted((a, b) => last(a) - last(b) || (a.id < b.id ? -1 : 1));
  return {
    graph: { nodes: new Map(nodes.map((n) => [n.id, n])), outputs: draft.outputs },
    regions: new Map(regions.map((region) => [region.id, region])),
  };
}

/** @param pricing shared with other planners of the same program */
export function openPlanner(fusion: Fusion, options: PlanOptions, fullSize: number, pricing: Pricing): Planner {
  const draft: DraftFusion = {
    nodes: new Map(fusion.graph.nodes),
    outputs: fusion.graph.outputs,
    regions: new Map<RegionId, Region>(),
  };
  const graph: Graph = { nodes: draft.nodes, outputs: draft.outputs };
  const positions = positionsOf(fusion.graph);
  const position = (id: NodeId): number => positions.get(id) ?? -1;
  const outputs = new Set(graph.outputs);
  const home = new Map<NodeId, RegionId>();
  const reading = new Map<NodeId, Set<RegionId>>();
  const inputsCache = new WeakMap<Region, readonly NodeId[]>();
  const ledger: Ledger = openLedger(graph, positions);

  const inputsOf = (region: Region): readonly NodeId[] => {
    const known = inputsCache.get(region);
    if (known) return known;
    const inside = new Set(region.members);
    const found = new Set<NodeId>();
    for (const member of region.members) {
      for (const input of draft.nodes.get(member)!.inputs) {
        if (!inside.has(input) && draft.nodes.get(input)!.op !== "const") found.add(input);
      }
    }
    const inputs = [...found];
    inputsCache.set(region, inputs);
    return inputs;
  };
  const facts = (region: Region): RegionFacts | Verdict => pricing.facts(graph, region);
  const factsOf = (region: Region): RegionFacts => {
    const answer = facts(region);
    if (isRefusal(answer)) throw bug(`region ${region.id} is no kernel: ${answer.text}`);
    return answer;
  };
  const region = (id: RegionId): Region => {
    const found = draft.regions.get(id);
    if (!found) throw bug(`no region ${id}`);
    return found;
  };
  const producers = (id: RegionId): Set<RegionId> => {
    const found = new Set<RegionId>();
    for (const input of inputsOf(region(id))) {
      const from = home.get(input);
      if (from !== undefined && from !== id) found.add(from);
    }
    return found;
  };
  const readers = (id: RegionId): Set<RegionId> => {
    const found = new Set<RegionId>();
    for (const output of region(id).outputs)
      for (const reader of reading.get(output) ?? NOBODY) if (reader !== id) found.add(reader);
    return found;
  };
  const enter = (added: Region): void => {
    draft.regions.set(added.id, added);
    for (const output of added.outputs) home.set(output, added.id);
    for (const input of inputsOf(added)) {
      const set = reading.get(input);
      if (set) set.add(added.id);
      else reading.set(input, new Set([added.id]));
    }
  };
  const leave = (removed: Region): void => {
    draft.regions.delete(removed.id);
    for (const output of removed.outputs) if (home.get(output) === removed.id) home.delete(output);
    for (const input of inputsOf(removed)) reading.get(input)?.delete(removed.id);
  };
  const setNodes = (patch: Patch): void =>
    applyPatch(draft, { ...patch, removedRegions: [], addedRegions: [], outputs: null });

  for (const each of fusion.regions.values()) enter(each);
  const orderNow = (): RegionOrder =>
    regionOrder(executionOrder([...draft.regions.values()], position, producers), {
      readersOf: readers,
      producersOf: producers,
    });
  let order = orderNow();
  const sorted = (ids: Iterable<RegionId>): RegionId[] => [...ids].toSorted((a, b) => order.at(a) - order.at(b));
  for (const each of draft.regions.values()) ledger.add(each, factsOf(each));

  return {
    options,
    profile: options.profile,
    graph,
    regions: draft.regions,
    regionCount: fusion.regions.size,
    get order() {
      return order;
    },
    fullSize,
    region,
    position,
    isOutput: (id) => outputs.has(id),
    isView: (each) => isViewRegion(graph, each),
    homeOf: (value) => home.get(value) ?? null,
    inputsOf,
    regionsReading: (value) => reading.get(value) ?? NOBODY,
    readersOf: (id) => sorted(readers(id)),
    producersOf: (id) => sorted(producers(id)),
    facts,
    factsOf,
    supposing(patch, ask) {
      setNodes(patch);
      const answer = ask();
      setNodes(invert(patch));
      return answer;
    },
    peakAfter(remove, add) {
      for (const each of remove) ledger.remove(each, factsOf(each));
      for (const each of add) ledger.add(each, factsOf(each));
      const { peakBytes } = ledger.totals();
      for (const each of add) ledger.remove(each, factsOf(each));
      for (const each of remove) ledger.add(each, factsOf(each));
      return peakBytes;
    },
    apply(patch, merged) {
      if (merged.length > 1) order.merge(merged, patch.addedRegions[0]!.id);
      for (const each of patch.removedRegions) {
        ledger.remove(each, factsOf(each));
        leave(each);
      }
      setNodes(patch);
      for (const each of patch.addedRegions) {
        enter(each);
        ledger.add(each, factsOf(each));
      }
      if (patch.addedNodes.length + patch.removedNodes.length > 0) ledger.outputsMoved();
    },
    reorder: () => {
      order = orderNow();
    },
    totals: () => ledger.totals(),
    fusion: () => inTextOrder(draft, position),
  };
}
