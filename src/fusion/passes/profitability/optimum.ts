/**
 * @file The best plan by the price, for small graphs: the oracle that the planner's greedy steps are held against.
 *
 * The graph stays as the plan rewrote it. Its ops are shared out among kernels in every way that is legal: a shortest path over
 * the sets of ops that are closed under what they read, each kernel priced once (Ottenstein 1978 calls such sets ideals).
 */
import { node, regionId, type CompileOptions, type Fusion, type NodeId, type Region, type RegionId } from "../../ir";
import { fullSizeBytes } from "../../kernel";
import { opDef } from "../../ops";
import { isFreeView, resolveView } from "../../kernel";
import { openCostCache } from "./cost-cache";
import type { Candidate } from "../driver/define";
import { refusedMerge } from "../driver/merge";
import { naiveFusion } from "../driver/naive";
import { openPlanner, type Planner } from "../driver/planner";
import { overBudget } from "./profitability";

/** Ops that a set of them is a number of bits for. */
const MAX_OPS = 30;
/** Kernels that may be weighed, by default: a second or so. */
const MAX_WEIGHED = 20_000;
/** Values with several readers that may be computed by each of them instead of being stored; every choice of them is tried. */
const MAX_COPIED = 4;

export interface Optimum {
  /** Predicted µs of the best plan that was found, never above the given one's. */
  readonly micros: number;
  /** Predicted µs of the given plan. */
  readonly planned: number;
  /** Kernels of the best plan, in an order of execution; those of the given plan where nothing is better. */
  readonly regions: readonly Region[];
  /** Different kernels that were weighed. */
  readonly weighed: number;
}

/** Why the best plan is not looked for. */
export interface TooLarge {
  readonly tooLarge: string;
}

/** What the best plan takes beside the given one, or why it is not looked for. */
export type BestPlan = Pick<Optimum, "micros" | "planned" | "weighed"> | TooLarge;

export const isTooLarge = (answer: object): answer is TooLarge => "tooLarge" in answer;

/** Shares below it come of adding up in another order. */
const ROUNDING = 1e-9;

/** What a plan takes above the best one, as a share: 0.004 is 0.4 %; 0 where it is as good. */
export function regretOf({ micros, planned }: Pick<Optimum, "micros" | "planned">): number {
  const share = micros === 0 ? 0 : planned / micros - 1;
  return share < ROUNDING ? 0 : share;
}

/** One op, or a loop with all its results: what a kernel holds whole or not at all. */
interface Atom {
  readonly region: Region;
  /** Atoms whose values it reads, through views or not. */
  readonly reads: readonly number[];
}

/**
 * The best plan for the graph of `fusion`, which some passes have rewritten and shared out.
 * @param most kernels that may be weighed before the search is given up
 */
export function optimumOf(fusion: Fusion, options: CompileOptions, most: number = MAX_WEIGHED): Optimum | TooLarge {
  const { graph } = fusion;
  const costs = openCostCache(options.profile, fullSizeBytes(graph));
  const planner = openPlanner(
    naiveFusion(graph, "primitive", options.strict),
    options,
    fullSizeBytes(graph),
    costs,
    costs,
  );
  const kernels = [...fusion.regions.values()].filter((region) => !planner.isView(region));
  const planned = kernels.reduce((sum, region) => sum + planner.factsOf(region).time.micros, 0);
  const atoms = atomsOf(planner);
  if (atoms.length > MAX_OPS)
    return { tooLarge: `${atoms.length} ops are too many to try every plan: ${MAX_OPS} at most` };
  const weigher = openWeigher(planner, atoms, !options.strict && (options.level ?? 3) > 2);
  let best: Omit<Optimum, "weighed" | "planned"> = { micros: planned, regions: kernels };
  for (const copied of choicesOf(copyable(planner, atoms))) {
    const found = shortest(weigher, atoms, copied, best.micros, most);
    if (found === "given up") return { tooLarge: `more than ${most} different kernels would have to be weighed` };
    if (found && found.micros < best.micros) best = found;
  }
  return { ...best, planned, weighed: weigher.weighed() };
}

function atomsOf(planner: Planner): Atom[] {
  const regions = planner.inOrder().map((id) => planner.region(id));
  const kernels = regions.filter((region) => !planner.isView(region));
  const positions = new Map<RegionId, number>(kernels.map(({ id }, position) => [id, position]));
  return kernels.map((region) => {
    const homes = planner.inputsOf(region).map((input) => planner.homeOf(resolveView(planner.graph, input)));
    const reads = homes.flatMap((home) => (home === null ? [] : (positions.get(home) ?? [])));
    return { region, reads: [...new Set(reads)].toSorted((a, b) => a - b) };
  });
}

/** Atoms that each of several readers could compute for itself: element by element, or moved. */
function copyable(planner: Planner, atoms: readonly Atom[]): number[] {
  const readers = atoms.map(() => 0);
  for (const { reads } of atoms) for (const read of reads) readers[read]!++;
  return atoms.flatMap(({ region }, at) => {
    const cheap = region.members.every((id) =>
      ["elementwise", "movement", "random"].includes(opDef(node(planner.graph, id).op).kind),
    );
    const shown = region.outputs.some((id) => isShown(planner, id));
    return cheap && !shown && readers[at]! > 1 ? [at] : [];
  });
}

/** Is the value a result of the program, as it is or seen through views? */
const isShown = ({ graph }: Planner, id: NodeId): boolean =>
  graph.outputs.some((output) => resolveView(graph, output) === id);

/** Every choice among the first few. */
function choicesOf(positions: readonly number[]): number[] {
  return positions.slice(0, MAX_COPIED).reduce((sets, at) => [...sets, ...sets.map((set) => set | (1 << at))], [0]);
}

interface Weigher {
  /** The kernel that computes the atoms of `set`, taking copies of those in `copied` that they read; null where none can. */
  kernel(set: number, copied: number): { readonly region: Region; readonly micros: number } | null;
  weighed(): number;
}

/** @param derives whether rows may be folded while a product makes them */
function openWeigher(planner: Planner, atoms: readonly Atom[], derives: boolean): Weigher {
  const { graph } = planner;
  const known = new Map<string, { readonly region: Region; readonly micros: number } | null>();
  const homes = new Map<NodeId, number>();
  atoms.forEach(({ region }, at) => region.members.forEach((id) => homes.set(id, at)));
  const readers = atoms.map(() => 0);
  atoms.forEach(({ reads }, at) => reads.forEach((read) => (readers[read]! |= 1 << at)));
  const price = (all: number, own: number, copied: number) => {
    const members = new Set<NodeId>();
    const parts: Region[] = [];
    atoms.forEach(({ region }, at) => {
      if (!(all & (1 << at))) return;
      parts.push(region);
      for (const id of region.members) addWithViews(id);
    });
    /** A member, after the views through which it reads other members. */
    function addWithViews(id: NodeId): void {
      for (const input of node(graph, id).inputs) {
        const seen: NodeId[] = [];
        let current = input;
        while (isFreeView(node(graph, current)) && !members.has(current)) {
          seen.push(current);
          current = node(graph, current).inputs[0]!;
        }
        if (members.has(current)) for (const view of seen) members.add(view);
      }
      members.add(id);
    }
    const outputs = parts.flatMap(({ outputs }) =>
      outputs.filter((id) => {
        const at = homes.get(id)!;
        if (!(own & (1 << at))) return false;
        return isShown(planner, id) || (readersBeyond(at, copied) & ~all) !== 0 || readers[at] === 0;
      }),
    );
    const region: Region = {
      id: regionId(`k:${outputs.at(-1) ?? parts.at(-1)!.outputs.at(-1)!}`),
      members: [...members].toSorted((a, b) => planner.position(a) - planner.position(b)),
      outputs: outputs.toSorted((a, b) => planner.position(a) - planner.position(b)),
    };
    const facts = planner.kernelOf(region);
    if (!facts) return null;
    if (parts.length === 1) return { region, micros: facts.time.micros };
    const candidate: Candidate = {
      rule: "optimum",
      kind: "fuse",
      edges: [],
      nodes: region.outputs,
      remove: parts.filter((part) => planner.kernelOf(part)),
      add: [region],
      into: null,
      merged: [],
    };
    if (refusedMerge(planner, candidate, derives) || overBudget(planner, candidate, true)) return null;
    return { region, micros: facts.time.micros };
  };
  /** Atoms that read this one, beyond copies of its readers. */
  const readersBeyond = (at: number, copied: number): number => {
    let [found, open] = [readers[at]!, readers[at]! & copied];
    while (open !== 0) {
      const next = 31 - Math.clz32(open);
      open &= ~(1 << next);
      const more = readers[next]! & ~found;
      found |= more;
      open |= more & copied;
    }
    return found & ~copied;
  };
  return {
    kernel(set, copied) {
      let all = set;
      for (let at = atoms.length - 1; at >= 0; at--)
        if (all & (1 << at)) for (const read of atoms[at]!.reads) if (copied & (1 << read)) all |= 1 << read;
      const used = all & copied;
      const key = `${set} ${used} ${copied}`;
      let found = known.get(key);
      if (found === undefined) known.set(key, (found = price(all, set, copied)));
      return found;
    },
    weighed: () => known.size,
  };
}

/** The cheapest way to all atoms but the copied ones; null where it is not below `bound`. */
function shortest(
  weigher: Weigher,
  atoms: readonly Atom[],
  copied: number,
  bound: number,
  most: number,
): { readonly micros: number; readonly regions: readonly Region[] } | "given up" | null {
  /** What an atom waits for: copies are made of what they read. */
  const needs = atoms.map(() => 0);
  atoms.forEach(({ reads }, at) => {
    for (const read of reads) needs[at]! |= copied & (1 << read) ? needs[read]! : 1 << read;
  });
  const all = ((1 << atoms.length) - 1) & ~copied;
  const costs = new Map<number, number>([[0, 0]]);
  const last = new Map<number, { readonly from: number; readonly region: Region }>();
  /** Sets by how many atoms they hold: each is final when its turn comes. */
  const layers: Set<number>[] = atoms.map(() => new Set<number>());
  layers.push(new Set());
  layers[0]!.add(0);
  for (let size = 0; size < layers.length; size++) {
    for (const done of layers[size]!) {
      if (done === all) break;
      const cost = costs.get(done)!;
      /** Grows the next kernel, atoms in ascending order: each set of them comes once. */
      const stack: (readonly [set: number, from: number, size: number])[] = [[0, 0, size]];
      while (stack.length > 0) {
        const [set, from, count] = stack.pop()!;
        for (let at = from; at < atoms.length; at++) {
          const bit = 1 << at;
          if (!(all & bit & ~done & ~set) || (needs[at]! & ~(done | set)) !== 0) continue;
          const grown = set | bit;
          stack.push([grown, at + 1, count + 1]);
          if (weigher.weighed() > most) return "given up";
          const kernel = weigher.kernel(grown, copied);
          if (!kernel) continue;
          const [next, total] = [done | grown, cost + kernel.micros];
          if (total >= bound || total >= (costs.get(next) ?? Infinity)) continue;
          costs.set(next, total);
          last.set(next, { from: done, region: kernel.region });
          layers[count + 1]!.add(next);
        }
      }
    }
  }
  const micros = costs.get(all);
  if (micros === undefined) return null;
  const regions: Region[] = [];
  for (let at = all; at !== 0; at = last.get(at)!.from) regions.unshift(last.get(at)!.region);
  return { micros, regions };
}
