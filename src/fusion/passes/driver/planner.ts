/** @file The state that passes work on: graph, regions, who reads whom, facts and totals, all updated patch by patch. */
import {
  applyPatch,
  bug,
  bytesOf,
  type CompileOptions,
  type DeviceProfile,
  type DraftFusion,
  type Fusion,
  type Graph,
  invert,
  isInput,
  markLive,
  type NaiveChoice,
  type Node,
  type NodeId,
  type Patch,
  type Region,
  type RegionId,
  type Standing,
  type Step,
  type Sums,
  type Verdict,
} from "../../ir";
import {
  figuresIn,
  isRefusal,
  openPeak,
  openSums,
  positionsOf,
  type Figures,
  type Positions,
  type RegionFacts,
  type RunningPeak,
} from "../../cost";
import { isViewRegion } from "../../kernel";
import { executionOrder, regionOrder, type RegionOrder } from "./region-order";
import type { Bound, CostCache } from "../profitability/cost-cache";
import { openUseDef } from "./use-def";

/** The part of the options that planning reads, and what one planning learnt for the next. */
export interface PlanOptions extends AskedOptions {
  /** The peak of the plan that saves every value: what saves less stays below it where it can. */
  readonly storedPeak?: number;
}

/** What passes did, and the state that they left. */
export interface PassRun {
  readonly steps: readonly Step[];
  readonly final: Fusion;
}

type AskedOptions = Pick<
  CompileOptions,
  | "disabledPasses"
  | "strict"
  | "policy"
  | "matmulPolicy"
  | "groupSize"
  | "profile"
  | "forced"
  | "forbidden"
  | "kept"
  | "knobs"
  | "libraryAbove"
  | "savedValues"
>;

/** Live: the graph and the maps change with every accepted step. */
export interface Planner {
  readonly options: PlanOptions;
  readonly profile: DeviceProfile;
  readonly graph: Graph;
  readonly regions: ReadonlyMap<RegionId, Region>;
  readonly order: RegionOrder;
  /** What the naive plan chose. */
  readonly choices: readonly NaiveChoice[];
  /** Regions of the naive plan: every position in the order is below it. */
  readonly regionCount: number;
  /** Bytes from which an event is full-size. */
  readonly fullSize: number;
  readonly region: (id: RegionId) => Region;
  /** Position in the text; every list of members is sorted by it. `made`: nodes that are not in the graph yet. */
  readonly position: (id: NodeId, made?: ReadonlyMap<NodeId, Standing>) => number;
  /** Lists of members as one: each member once, in text order. */
  readonly inTextOrder: (lists: readonly (readonly NodeId[])[]) => readonly NodeId[];
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
  /** Every region, in order of execution. */
  readonly inOrder: () => readonly RegionId[];
  /** Counts and times of a region, existing or proposed; a verdict when one kernel can't compute it. */
  readonly facts: (region: Region) => RegionFacts | Verdict;
  /** The same where the reason does not matter: null when one kernel can't compute it. */
  readonly kernelOf: (region: Region) => RegionFacts | null;
  /** What one kernel for a region binds however it is scheduled, whether it is a kernel or not. */
  readonly boundOf: (region: Region) => Bound;
  /** The same for a region known to be a kernel. */
  readonly factsOf: (region: Region) => RegionFacts;
  /** Of these what names no node. */
  readonly figuresOf: (region: Region) => Figures;
  /** Runs `ask` as if the nodes of the patch were already rewritten. */
  readonly supposing: <T>(patch: Patch, ask: () => T) => T;
  /** Most bytes alive with the regions in the order of the text; no plan made of them has a higher peak. */
  readonly peakBytes: () => number;
  /** The same if these regions were exchanged. */
  readonly peakAfter: (remove: readonly Region[], add: readonly Region[]) => number;
  /** @param merged regions that became one; empty when readers took copies */
  readonly apply: (patch: Patch, merged: readonly RegionId[]) => void;
  /** Patches applied so far: what was gathered from one edition holds until the next. */
  readonly edition: () => number;
  /** After rewrites and splits: a fresh order of all regions. */
  readonly reorder: () => void;
  readonly totals: () => Sums;
  /** The state as plain data that no longer changes. */
  readonly fusion: () => Fusion;
}

/** Regions in the order of their last members. */
export function regionsInTextOrder(
  regions: readonly Region[],
  position: (id: NodeId) => number,
): ReadonlyMap<RegionId, Region> {
  const last = ({ members }: Region): number => position(members.at(-1)!);
  const sorted = regions.toSorted((a, b) => last(a) - last(b) || (a.id < b.id ? -1 : 1));
  return new Map(sorted.map((region) => [region.id, region]));
}

/**
 * The draft as plain data: nodes in text order (what passes made comes first), regions in that of their last members.
 * The same state gives the same order, whichever way it was reached.
 */
export function inTextOrder(draft: DraftFusion, positions: Positions): Fusion {
  // What passes made for one node may read what they folded for it.
  const reads = ({ inputs }: Node): number => Number(inputs.length > 0);
  const sorted = [...draft.nodes.values()].toSorted(
    (a, b) => positions.of(a) - positions.of(b) || reads(a) - reads(b) || (a.id < b.id ? -1 : 1),
  );
  const nodes = new Map<NodeId, Node>();
  // Several passes may have made something for one node: what is read comes first.
  const put = (n: Node): void => {
    if (nodes.has(n.id)) return;
    for (const id of n.inputs) if (!nodes.has(id)) put(draft.nodes.get(id)!);
    nodes.set(n.id, n);
  };
  sorted.forEach(put);
  const position = (id: NodeId): number => positions.of(draft.nodes.get(id)!);
  return {
    graph: { nodes, outputs: draft.outputs },
    regions: regionsInTextOrder([...draft.regions.values()], position),
  };
}

/**
 * @param costCache what decisions are taken on
 * @param counted what totals are made of
 */
export function openPlanner(
  fusion: Fusion,
  options: PlanOptions,
  fullSize: number,
  costCache: CostCache,
  counted: CostCache,
): Planner {
  const draft: DraftFusion = {
    nodes: new Map(fusion.graph.nodes),
    outputs: fusion.graph.outputs,
    regions: new Map(fusion.regions),
  };
  const graph = markLive({ nodes: draft.nodes, outputs: draft.outputs });
  const positions = positionsOf(fusion.graph);
  const asked = new Map<NodeId, number>();
  const position = (id: NodeId, made?: ReadonlyMap<NodeId, Standing>): number => {
    let found = asked.get(id);
    if (found === undefined) asked.set(id, (found = positions.of(made?.get(id) ?? draft.nodes.get(id) ?? { id })));
    return found;
  };
  const outputs = new Set(graph.outputs);
  const useDef = openUseDef(draft.nodes);
  const facts = (region: Region): RegionFacts | Verdict => costCache.facts(graph, region);
  const kernel = (region: Region, answer: RegionFacts | Verdict): RegionFacts => {
    if (isRefusal(answer)) throw bug(`region ${region.id} is no kernel: ${answer.text}`);
    return answer;
  };
  const factsOf = (region: Region): RegionFacts => kernel(region, facts(region));
  const countsOf = (region: Region): RegionFacts => {
    factsOf(region); // as long as the nodes are as they are: asked for again when they may not be
    return kernel(region, counted.facts(graph, region));
  };
  const region = (id: RegionId): Region => {
    const found = draft.regions.get(id);
    if (!found) throw bug(`no region ${id}`);
    return found;
  };
  const readersOf = (id: RegionId): readonly RegionId[] => useDef.readersOf(region(id));
  const producersOf = (id: RegionId): readonly RegionId[] => useDef.producersOf(region(id));
  for (const each of draft.regions.values()) useDef.enter(each);
  const orderNow = (): RegionOrder =>
    regionOrder(executionOrder([...draft.regions.values()], position, producersOf), { readersOf, producersOf });
  let order = orderNow();
  let edition = 0;
  const sorted = (ids: readonly RegionId[]): readonly RegionId[] => {
    for (let i = 1; i < ids.length; i++)
      if (order.at(ids[i - 1]!) > order.at(ids[i]!)) return ids.toSorted((a, b) => order.at(a) - order.at(b));
    return ids;
  };
  const sums = openSums();
  const peak = openPeak(graph, positions);
  for (const each of draft.regions.values()) {
    const counts = countsOf(each);
    sums.add(counts);
    peak.add(each, counts);
  }
  return {
    options,
    profile: options.profile,
    graph,
    regions: draft.regions,
    choices: fusion.choices ?? [],
    regionCount: fusion.regions.size,
    get order() {
      return order;
    },
    fullSize,
    region,
    position,
    inTextOrder: openMemberOrder(position),
    isOutput: (id) => outputs.has(id),
    isView: (each) => isViewRegion(graph, each),
    homeOf: useDef.homeOf,
    inputsOf: useDef.inputsOf,
    regionsReading: useDef.regionsReading,
    readersOf: (id) => sorted(readersOf(id)),
    producersOf: (id) => sorted(producersOf(id)),
    inOrder: () => sorted([...draft.regions.keys()]),
    facts,
    kernelOf: (each) => costCache.kernel(graph, each),
    boundOf: (each) => costCache.bound(graph, each),
    factsOf,
    figuresOf: (each) => figuresIn(factsOf(each)),
    supposing: (patch, ask) => {
      setNodes(draft, patch);
      const answer = ask();
      setNodes(draft, invert(patch));
      return answer;
    },
    peakBytes: () => peak.peakBytes(),
    peakAfter: (remove, add) => peakAfter(peak, countsOf, remove, add),
    edition: () => edition,
    apply: (patch, merged) => {
      edition++;
      if (merged.length > 1) order.merge(merged, patch.addedRegions[0]!.id);
      for (const each of patch.removedRegions) {
        sums.remove(countsOf(each));
        peak.remove(each);
        useDef.leave(each);
        draft.regions.delete(each.id);
      }
      setNodes(draft, patch);
      for (const each of patch.addedRegions) {
        draft.regions.set(each.id, each);
        useDef.enter(each);
        const counts = countsOf(each);
        sums.add(counts);
        peak.add(each, counts);
      }
      if (patch.addedNodes.length + patch.removedNodes.length > 0) {
        peak.outputsMoved();
        peak.inputsChanged(inputBytes(patch.addedNodes) - inputBytes(patch.removedNodes));
      }
    },
    reorder: () => {
      order = orderNow();
    },
    totals: () => sums.totals(),
    fusion: () => inTextOrder(draft, positions),
  };
}

const setNodes = (draft: DraftFusion, patch: Patch): void =>
  applyPatch(draft, { ...patch, removedRegions: [], addedRegions: [], outputs: null });

const inputBytes = (nodes: readonly Node[]): number =>
  nodes.reduce((sum, n) => sum + (isInput(n) ? bytesOf(n.type) : 0), 0);

/** Exchanges regions, looks, and puts them back. */
function peakAfter(
  peak: RunningPeak,
  factsOf: (region: Region) => RegionFacts,
  remove: readonly Region[],
  add: readonly Region[],
): number {
  for (const each of remove) peak.remove(each);
  for (const each of add) peak.add(each, factsOf(each));
  const peakBytes = peak.peakBytes();
  for (const each of add) peak.remove(each);
  for (const each of remove) peak.add(each, factsOf(each));
  return peakBytes;
}

/** A list with the positions of its members. */
interface Ordered {
  readonly ids: readonly NodeId[];
  readonly at: readonly number[];
}

/** @param position a node's position in the text: the same whenever it is asked */
function openMemberOrder(
  position: (id: NodeId) => number,
): (lists: readonly (readonly NodeId[])[]) => readonly NodeId[] {
  const known = new WeakMap<readonly NodeId[], Ordered>();
  const ordered = (ids: readonly NodeId[]): Ordered => {
    let found = known.get(ids);
    if (!found) known.set(ids, (found = { ids, at: ids.map((id) => position(id)) }));
    return found;
  };
  return (lists) => {
    let union: Ordered | null = ordered(lists[0]!);
    for (let i = 1; i < lists.length && union; i++) union = mergedOf(union, ordered(lists[i]!));
    if (!union) {
      const all = new Set(lists.flat());
      return [...all].toSorted((a, b) => position(a) - position(b));
    }
    known.set(union.ids, union);
    return union.ids;
  };
}

/** Null where several nodes stand at one position: which comes first is for the whole list to say. */
function mergedOf(a: Ordered, b: Ordered): Ordered | null {
  const most = a.at.length + b.at.length;
  const ids = Array<NodeId>(most);
  const at = Array<number>(most);
  let [i, j, count, last] = [0, 0, 0, -Infinity];
  while (i < a.at.length || j < b.at.length) {
    const first = i < a.at.length ? a.at[i]! : Infinity;
    const second = j < b.at.length ? b.at[j]! : Infinity;
    const next = first <= second ? first : second;
    if (next <= last) return null;
    if (first === second && a.ids[i] !== b.ids[j]) return null;
    ids[count] = first <= second ? a.ids[i]! : b.ids[j]!;
    at[count++] = last = next;
    if (first <= second) i++;
    if (second <= first) j++;
  }
  ids.length = at.length = count;
  return { ids, at };
}
