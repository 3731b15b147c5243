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
import { isFreeView, replacementOf } from "../../kernel";

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
      const fresh = like
        ? new RenamedFacts(like, [...numbers.keys()])
        : regionFacts(graph, region, profile, fullSize, target);
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
  const numbered = (textOf: (n: Node) => string): ((n: Node) => number) => {
    const cache = new WeakMap<Node, number>();
    return (n) => {
      let number = cache.get(n);
      if (number === undefined) {
        const text = textOf(n);
        number = numbers.get(text) ?? numbers.size;
        numbers.set(text, number);
        cache.set(n, number);
      }
      return number;
    };
  };
  return {
    member: numbered((n) => `${n.op}${JSON.stringify(n.attrs)}${n.type.dtype}${n.type.shape.join()}`),
    stored: numbered((n) => `${isLiteral(n) ? "c" : "s"}${n.type.dtype}${n.type.shape.join()}`),
  };
}

/** Marks between the numbers of a shape, so that lists of different meaning never look alike. */
const MARK = { member: 0, view: 1, seen: 2, stored: 3, outputs: 4, replaced: 5, operand: 6 } as const;

/** The largest list, and the largest number in it, that become one string in one step. */
const [MOST_PARTS, MOST_UNITS] = [4096, 0xffff];

/** A text that differs wherever the lists do. */
const textOf = (parts: readonly number[]): string =>
  parts.length <= MOST_PARTS && parts.every((part) => part <= MOST_UNITS)
    ? String.fromCharCode(...parts)
    : parts.join();

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
    for (const input of n.inputs) {
      let number = numbers.get(input);
      if (number === undefined) {
        number = numbers.size;
        outside(input);
      }
      parts.push(MARK.operand, number);
    }
    parts.push(MARK.member, kinds.member(n));
  }
  parts.push(MARK.outputs);
  for (const id of outputs) parts.push(numbers.get(id)!);
  return { shape: textOf(parts), numbers };
}

/** The same facts about other names. Most are asked for their times alone: names are put in when they are read. */
class RenamedFacts implements RegionFacts {
  readonly #like: Priced;
  readonly #ids: readonly NodeId[];
  readonly flops: number;
  readonly time: RegionFacts["time"];
  #form: RegionFacts["form"] | undefined;
  #schedule: RegionFacts["schedule"] | undefined;
  #traffic: RegionFacts["traffic"] | undefined;
  #valuesRead: readonly NodeId[] | undefined;

  constructor(like: Priced, ids: readonly NodeId[]) {
    this.#like = like;
    this.#ids = ids;
    this.flops = like.facts.flops;
    this.time = like.facts.time;
  }

  get like(): RegionFacts {
    return this.#like.facts;
  }

  get valuesRead(): readonly NodeId[] {
    return (this.#valuesRead ??= this.#like.facts.traffic.reads.map(({ value }) => this.#name(value)));
  }

  #name(id: NodeId): NodeId {
    const at = this.#like.numbers.get(id);
    return at === undefined ? id : this.#ids[at]!;
  }

  #list(ids: readonly NodeId[]): NodeId[] {
    return ids.map((id) => this.#name(id));
  }

  #named<T extends { readonly value: NodeId }>(list: readonly T[]): readonly T[] {
    return list.length === 0 ? list : list.map((each) => ({ ...each, value: this.#name(each.value) }));
  }

  get form(): RegionFacts["form"] {
    const { form } = this.#like.facts;
    if (form === null || this.#form !== undefined) return this.#form ?? null;
    const { contraction, reductions, scans, columnFolds, orders } = form;
    const none = contraction === null && reductions.length + scans.length + columnFolds.length + orders.length === 0;
    return (this.#form = none
      ? form
      : {
          ...form,
          contraction: contraction === null ? null : this.#name(contraction),
          reductions: reductions.map((reduction) => ({ ...reduction, node: this.#name(reduction.node) })),
          scans: this.#list(scans),
          columnFolds: this.#list(columnFolds),
          orders: orders.map((order) => ({ ...order, node: this.#name(order.node) })),
        });
  }

  get schedule(): RegionFacts["schedule"] {
    if (this.#schedule) return this.#schedule;
    const { schedule } = this.#like.facts;
    const { reads, stridedWrites, cached, inPlace } = schedule;
    const none = !inPlace && reads.length + stridedWrites.length + cached.length === 0;
    return (this.#schedule = none
      ? schedule
      : {
          ...schedule,
          reads: this.#named(reads),
          stridedWrites: this.#list(stridedWrites),
          cached: this.#list(cached),
          ...(inPlace && {
            inPlace: inPlace.map(({ output, input }) => ({ output: this.#name(output), input: this.#name(input) })),
          }),
        });
  }

  get traffic(): RegionFacts["traffic"] {
    if (this.#traffic) return this.#traffic;
    const { traffic } = this.#like.facts;
    return (this.#traffic = { ...traffic, reads: this.#named(traffic.reads), writes: this.#named(traffic.writes) });
  }
}
