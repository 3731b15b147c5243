/** @file Facts of regions, computed once per shape of region: a program that repeats a block is priced as one block. */
import {
  type DeviceProfile,
  type Graph,
  isLiteral,
  node,
  type Node,
  type NodeId,
  type Region,
  type Target,
  type Verdict,
} from "../../ir";
import { isRefusal, regionFacts, targetOf, type RegionFacts } from "../../cost";
import { isFreeView, replacementOf } from "../../region";

export interface CostCache {
  /** Counts and times of a region, or why it is no kernel. Holds as long as the nodes of its members stay as they are. */
  facts(graph: Graph, region: Region): RegionFacts | Verdict;
}

interface Priced {
  readonly facts: RegionFacts;
  /** What the facts name: its number in the order of the shape. */
  readonly numbers: ReadonlyMap<NodeId, number>;
}

/** @param target whose schedules are priced: the planner's own by default */
export function openCostCache(profile: DeviceProfile, fullSize: number, target: Target = targetOf(profile)): CostCache {
  const byRegion = new WeakMap<Region, RegionFacts | Verdict>();
  const byShape = new Map<string, Priced>();
  const kinds = openKinds();
  return {
    facts(graph, region) {
      const known = byRegion.get(region);
      if (known) return known;
      const { shape: plain, numbers } = shapeOf(graph, region, kinds);
      const own = target.knobs?.kernels[region.outputs[0]!];
      const shape = own ? `${plain} ${JSON.stringify(own)}` : plain;
      const like = byShape.get(shape);
      const fresh = like ? renamed(like, numbers) : regionFacts(graph, region, profile, fullSize, target);
      byRegion.set(region, fresh);
      if (!like && !isRefusal(fresh)) byShape.set(shape, { facts: fresh, numbers });
      return fresh;
    },
  };
}

/** Small numbers for what matters of a node: op, attributes and type of a member, type alone of what it reads. */
interface Kinds {
  member(n: Node): number;
  stored(n: Node): number;
}

function openKinds(): Kinds {
  const numbers = new Map<string, number>();
  const cache = new WeakMap<Node, number>();
  const number = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return numbers.size - 1;
  };
  return {
    member(n) {
      const known = cache.get(n);
      if (known !== undefined) return known;
      const fresh = number(`${n.op}${JSON.stringify(n.attrs)}${n.type.dtype}${n.type.shape.join()}`);
      cache.set(n, fresh);
      return fresh;
    },
    stored: (n) => number(`${isLiteral(n) ? "c" : "s"}${n.type.dtype}${n.type.shape.join()}`),
  };
}

/** Marks between the numbers of a shape, so that lists of different meaning never look alike. */
const MARK = { member: -1, view: -2, seen: -3, stored: -4, outputs: -5, replaced: -6 } as const;

/** The region with its names replaced by numbers, members first: equal for regions that differ in names alone. */
function shapeOf(
  graph: Graph,
  { members, outputs }: Region,
  kinds: Kinds,
): { shape: string; numbers: ReadonlyMap<NodeId, number> } {
  const numbers = new Map<NodeId, number>();
  const parts: number[] = [];
  for (const id of members) numbers.set(id, numbers.size);
  /** What is read from outside, through views to what they show. */
  const outside = (id: NodeId): void => {
    let n = node(graph, id);
    numbers.set(id, numbers.size);
    while (isFreeView(n)) {
      parts.push(MARK.view, kinds.member(n));
      n = node(graph, n.inputs[0]!);
      const known = numbers.get(n.id);
      if (known !== undefined) {
        parts.push(MARK.seen, known);
        return;
      }
      numbers.set(n.id, numbers.size);
    }
    parts.push(MARK.stored, kinds.stored(n));
    const next = replacementOf(graph, n);
    const replaced = next === null ? undefined : numbers.get(next);
    if (replaced !== undefined) parts.push(MARK.replaced, replaced);
  };
  for (const id of members) {
    const n = node(graph, id);
    for (const input of n.inputs) if (!numbers.has(input)) outside(input);
    parts.push(MARK.member, kinds.member(n));
    for (const input of n.inputs) parts.push(numbers.get(input)!);
  }
  parts.push(MARK.outputs);
  for (const id of outputs) parts.push(numbers.get(id)!);
  return { shape: parts.join(), numbers };
}

/** The same facts about other names. */
function renamed({ facts, numbers }: Priced, others: ReadonlyMap<NodeId, number>): RegionFacts {
  const fresh = [...others.keys()];
  const name = (id: NodeId): NodeId => {
    const at = numbers.get(id);
    return at === undefined ? id : fresh[at]!;
  };
  const { form, schedule, traffic } = facts;
  const named = <T extends { readonly value: NodeId }>(list: readonly T[]): T[] =>
    list.map((each) => ({ ...each, value: name(each.value) }));
  return {
    ...facts,
    form: form && {
      ...form,
      contraction: form.contraction === null ? null : name(form.contraction),
      reductions: form.reductions.map((reduction) => ({ ...reduction, node: name(reduction.node) })),
      scans: form.scans.map(name),
      columnFolds: form.columnFolds.map(name),
      orders: form.orders.map((order) => ({ ...order, node: name(order.node) })),
    },
    schedule: {
      ...schedule,
      reads: named(schedule.reads),
      stridedWrites: schedule.stridedWrites.map(name),
      cached: schedule.cached.map(name),
      ...(schedule.inPlace && {
        inPlace: schedule.inPlace.map(({ output, input }) => ({ output: name(output), input: name(input) })),
      }),
    },
    traffic: { ...traffic, reads: named(traffic.reads), writes: named(traffic.writes) },
  };
}
