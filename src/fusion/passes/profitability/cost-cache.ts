/** @file Facts of regions, computed once per shape of region: a program that repeats a block is priced as one block. */
import {
  type DeviceProfile,
  dtypeBytes,
  type Graph,
  isLiteral,
  literalsOf,
  node,
  type Node,
  type NodeId,
  type Region,
  stridesOf,
  type Target,
  type Verdict,
} from "../../ir";
import { isRefusal, regionFacts, targetOf, type RegionFacts } from "../../cost";
import { affineView, inPlaceOf, isFreeView, launchedKey, readsOf, replacementOf, SECTOR_BYTES } from "../../kernel";
import { opDef, workOf } from "../../ops";

export interface CostCache {
  /** Counts and times of a region, or why it is no kernel. Holds as long as the nodes of its members stay as they are. */
  facts(graph: Graph, region: Region): RegionFacts | Verdict;
  /** The same without a reason: null where it is no kernel, which is known of all regions of a shape once it is known of one. */
  kernel(graph: Graph, region: Region): RegionFacts | null;
  /** What a kernel of these members binds however it is scheduled: known, once for all regions of a shape, before any is classified. */
  bound(graph: Graph, region: Region): Bound;
}

/** Stored values that are read, and buffers in all; an output that is written over an input is bound once. */
export interface Bound {
  readonly reads: readonly NodeId[];
  readonly buffers: number;
}

interface Priced {
  readonly facts: RegionFacts;
  /** What the facts name, by its number in the shape. */
  readonly ids: readonly NodeId[];
}

/** @param target whose schedules are priced: the planner's own by default */
export function openCostCache(profile: DeviceProfile, fullSize: number, target: Target = targetOf(profile)): CostCache {
  const byRegion = new WeakMap<Region, RegionFacts | Verdict | null>();
  const byShape = new Map<string, Priced | null>();
  const shapeOf = openShapes();
  const shapes = new WeakMap<Region, Shape>();
  const boundByShape = new Map<string, BoundAlike>();
  const found = (graph: Graph, region: Region): RegionFacts | Verdict | null => {
    const known = byRegion.get(region);
    if (known !== undefined) return known;
    const { text: plain, ids } = shapes.get(region) ?? shapeOf(graph, region);
    const own = target.knobs?.kernels[region.outputs[0]!];
    const shape = own ? `${plain} ${JSON.stringify(own)}` : plain;
    const like = byShape.get(shape);
    if (like === null) {
      byRegion.set(region, null);
      return null;
    }
    const fresh = like ? new RenamedFacts(like, ids) : regionFacts(graph, region, profile, fullSize, target);
    byRegion.set(region, fresh);
    if (!like) byShape.set(shape, isRefusal(fresh) ? null : { facts: fresh, ids });
    return fresh;
  };
  return {
    facts(graph, region) {
      const answer = found(graph, region);
      if (answer) return answer;
      // What is told names these nodes.
      const refused = regionFacts(graph, region, profile, fullSize, target);
      byRegion.set(region, refused);
      return refused;
    },
    kernel(graph, region) {
      const answer = found(graph, region);
      return answer === null || isRefusal(answer) ? null : answer;
    },
    bound(graph, region) {
      const shape = shapes.get(region) ?? shapeOf(graph, region);
      shapes.set(region, shape);
      const { text, ids } = shape;
      const alike = boundByShape.get(text) ?? boundOf(graph, region, ids);
      boundByShape.set(text, alike);
      return { reads: alike.reads.map((number) => ids[number]!), buffers: alike.buffers };
    },
  };
}

/** What a region binds, with what it reads by its number in the shape. */
interface BoundAlike {
  readonly reads: readonly number[];
  readonly buffers: number;
}

function boundOf(graph: Graph, { members, outputs }: Region, ids: readonly NodeId[]): BoundAlike {
  // Each launch of a loop binds its own few.
  if (launchedKey(graph, members) !== null) return { reads: [], buffers: 0 };
  const reads = readsOf(graph, members, outputs).flatMap(({ value, elements }) =>
    elements > 0 ? [ids.indexOf(value)] : [],
  );
  return { reads, buffers: reads.length + outputs.length - inPlaceOf(graph, { members, outputs }).length };
}

/** What matters of a node, as small numbers: op, attributes and type of a member, type alone of what is read. */
interface Kind {
  readonly node: Node;
  readonly member: number;
  readonly stored: number;
  readonly isView: boolean;
  readonly part: Part | null;
  /** Its number in the last shape that it was part of. */
  number: number;
  /** Which one that was. */
  shape: number;
}

/** What a member shows of its one operand, at indices that are `base` and steps along the axes of the result. */
interface Part {
  readonly base: readonly number[];
  /** The member wherever it begins, as long as that lies alike in what memory hands out at once. */
  readonly member: number;
}

/** Marks between the numbers of a shape, so that lists of different meaning never look alike. */
const MARK = {
  member: 0,
  view: 1,
  seen: 2,
  stored: 3,
  output: 4,
  replaced: 5,
  operand: 6,
  ahead: 7,
  behind: 8,
} as const;

/** The largest list, and the largest number in it, that become one string in one step. */
const [MOST_PARTS, MOST_UNITS] = [4096, 0xffff];

/** Lists of numbers that are written one after another, all in one array. */
class Parts {
  #all = new Uint32Array(MOST_PARTS);
  #count = 0;
  #most = 0;

  begin(): void {
    this.#count = this.#most = 0;
  }

  add(mark: number, part: number): void {
    if (this.#count + 2 > this.#all.length) {
      const wider = new Uint32Array(2 * this.#all.length);
      wider.set(this.#all);
      this.#all = wider;
    }
    this.#all[this.#count++] = mark;
    this.#all[this.#count++] = part;
    if (part > this.#most) this.#most = part;
  }

  /** A text that differs wherever the lists do. */
  text(): string {
    const own = this.#all.subarray(0, this.#count);
    const fits = this.#count <= MOST_PARTS && this.#most <= MOST_UNITS;
    return fits ? Reflect.apply(String.fromCharCode, null, own) : own.join();
  }
}

interface Shape {
  readonly text: string;
  /** All that the region names, by number: members first. */
  readonly ids: readonly NodeId[];
}

/** What an op takes, where its literal operands decide that. */
function workOfLiterals(graph: Graph, { op, inputs }: Node): string {
  const def = opDef(op);
  return typeof def.work === "function" ? ` ${workOf(def, literalsOf(graph, inputs))}` : "";
}

/** Where elements of a part lie: what begins at the same offset in a sector is loaded alike, in vectors too. */
function partOf(graph: Graph, n: Node): { readonly base: readonly number[]; readonly text: string } | null {
  if (opDef(n.op).kind !== "movement" || n.inputs.length !== 1 || isFreeView(n)) return null;
  const { shape, dtype } = node(graph, n.inputs[0]!).type;
  const view = affineView(n, [shape]);
  if (!view) return null;
  const strides = stridesOf(shape);
  const sector = SECTOR_BYTES / dtypeBytes(dtype);
  const begins = view.base.map((from, axis) => (from === 0 ? "" : (from * strides[axis]!) % sector));
  return { base: view.base, text: `${n.op}${JSON.stringify(view.columns)}${begins.join()}` };
}

/** Kinds of nodes, each found out once. */
function openKinds(): (graph: Graph, id: NodeId) => Kind {
  const texts = new Map<string, number>();
  const kinds = new WeakMap<Node, Kind>();
  const numberOf = (text: string): number => {
    const known = texts.get(text) ?? texts.size;
    texts.set(text, known);
    return known;
  };
  return (graph, id) => {
    const n = node(graph, id);
    let kind = kinds.get(n);
    if (kind) return kind;
    const type = `${n.type.dtype}${n.type.shape.join()}`;
    const part = partOf(graph, n);
    kind = {
      node: n,
      member: numberOf(`${n.op}${JSON.stringify(n.attrs)}${type}${workOfLiterals(graph, n)}`),
      stored: numberOf(`${isLiteral(n) ? "c" : "s"}${type}`),
      isView: isFreeView(n),
      part: part && { base: part.base, member: numberOf(`${part.text}${type}`) },
      number: 0,
      shape: 0,
    };
    kinds.set(n, kind);
    return kind;
  };
}

/**
 * Where the first part of each stored value begins of which the members read nothing but such parts: all others are told from there, so
 * that iterations that read one row after the other are alike. Null where there is none.
 */
function beginsOf(
  members: readonly Kind[],
  kindOf: (id: NodeId) => Kind,
  isMember: (kind: Kind) => boolean,
): ReadonlyMap<NodeId, readonly number[]> | null {
  if (!members.some(({ part }) => part)) return null;
  const begins = new Map<NodeId, readonly number[]>();
  const others = new Set<NodeId>();
  for (const { node: n, part } of members) {
    for (const id of n.inputs) {
      let kind = kindOf(id);
      if (isMember(kind)) continue;
      if (part && !kind.isView) {
        if (!begins.has(id)) begins.set(id, part.base);
        continue;
      }
      while (kind.isView) kind = kindOf(kind.node.inputs[0]!);
      others.add(kind.node.id);
    }
  }
  for (const id of others) begins.delete(id);
  return begins;
}

/** Regions with their names replaced by numbers: equal for those that differ in names alone. */
function openShapes(): (graph: Graph, region: Region) => Shape {
  const kindOf = openKinds();
  const parts = new Parts();
  let shapes = 0;
  return (graph, { members, outputs }) => {
    const shape = ++shapes;
    const ids: NodeId[] = [];
    parts.begin();
    const named = (kind: Kind): void => {
      kind.shape = shape;
      kind.number = ids.length;
      ids.push(kind.node.id);
    };
    /** What is read from outside, through views to what they show. */
    const outside = (first: Kind): void => {
      let kind = first;
      named(kind);
      while (kind.isView) {
        parts.add(MARK.view, kind.member);
        kind = kindOf(graph, kind.node.inputs[0]!);
        if (kind.shape === shape) {
          parts.add(MARK.seen, kind.number);
          return;
        }
        named(kind);
      }
      parts.add(MARK.stored, kind.stored);
      const next = replacementOf(graph, kind.node);
      if (next === null) return;
      const replaced = kindOf(graph, next);
      if (replaced.shape === shape) parts.add(MARK.replaced, replaced.number);
    };
    const kinds = members.map((id) => kindOf(graph, id));
    kinds.forEach(named);
    const begins = beginsOf(
      kinds,
      (id) => kindOf(graph, id),
      ({ shape: last }) => last === shape,
    );
    for (const { node: n, member, part } of kinds) {
      for (const input of n.inputs) {
        const kind = kindOf(graph, input);
        const number = kind.shape === shape ? kind.number : ids.length;
        if (kind.shape !== shape) outside(kind);
        parts.add(MARK.operand, number);
      }
      const first = part && begins?.get(n.inputs[0]!);
      parts.add(MARK.member, first ? part.member : member);
      first?.forEach((from, axis) => {
        const by = part!.base[axis]! - from;
        parts.add(by < 0 ? MARK.behind : MARK.ahead, Math.abs(by));
      });
    }
    for (const id of outputs) parts.add(MARK.output, kindOf(graph, id).number);
    return { text: parts.text(), ids };
  };
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
    const at = this.#like.ids.indexOf(id);
    return at < 0 ? id : this.#ids[at]!;
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
    const { reads, stridedWrites, cached, inPlace, again } = schedule;
    const none = !inPlace && !again && reads.length + stridedWrites.length + cached.length === 0;
    return (this.#schedule = none
      ? schedule
      : {
          ...schedule,
          reads: this.#named(reads),
          stridedWrites: this.#list(stridedWrites),
          cached: this.#list(cached),
          ...(again && { again: this.#list(again) }),
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
