/** @file What the passes over a row load of each stored value: in each turn of their loops, or once a row. */
import { node, type Graph, type Node, type NodeId, type Region } from "../../../../ir";
import { opDef, type IndexCase } from "../../../../ops";
import { WayBack } from "../../../count/way-back";
import { endsPass } from "./row-ops";
import {
  eitherStride,
  indexStrides,
  movingIndex,
  stridesAlong,
  type Holds,
  type IndexStride,
  type Neighbour,
} from "../../../indices/index-strides";
import type { LayoutStep } from "../../../indices/row-layout";
import type { Lane, RegionForm } from "../../../types";
import { isFreeView, isInlined } from "../../../indices/views";

/** What a pass over the rows asks for, and how it lies in the space. */
export interface PassRoot {
  readonly id: NodeId;
  readonly stage: number;
  readonly layout: readonly LayoutStep[];
}

/** Stored values that a pass loads in each turn of its loop, and those it loads once a row, before the loop. */
export interface Loads {
  readonly changing: ReadonlySet<NodeId>;
  readonly still: ReadonlySet<NodeId>;
}

/**
 * Where a value is asked for: before the loop, in each turn of it, or in a branch of a turn. What a branch of a turn asks
 * for stays in it, even where the index is the same in every turn.
 */
type Asked = "row" | "turn" | "branch";

type Ask = (id: NodeId, at: readonly IndexStride[], from: Asked) => void;

/** What a pass asks for, for one of the four neighbours that a thread takes at a time; null for any. */
interface Seeker {
  readonly root: PassRoot;
  readonly lane: Neighbour | null;
}

/** Where a member is asked for, and which of several operands alone that shows; null where it may be any of them. */
interface Way {
  readonly from: Asked;
  readonly operand: number | null;
}

/** Seekers, as the bits of a number, that ask a member for the same. */
interface Group {
  who: bigint;
  readonly ways: ReadonlyMap<Way, readonly IndexStride[]>;
}

/** One object for each way. */
const WAYS = new Map<string, Way>();
function wayOf(from: Asked, operand: number | null): Way {
  const key = [from, operand].join();
  const way = WAYS.get(key) ?? { from, operand };
  WAYS.set(key, way);
  return way;
}

const sameIndices = (a: readonly IndexStride[] | undefined, b: readonly IndexStride[] | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.every((index, axis) => index === b[axis]));

const sameWays = (a: Group["ways"], b: Group["ways"]): boolean =>
  a.size === b.size && [...a].every(([way, at]) => sameIndices(at, b.get(way)));

/** What a group asks for when it asks for this too; the same object where that is nothing new. */
function withWay(ways: Group["ways"], way: Way, at: readonly IndexStride[]): Group["ways"] {
  const known = ways.get(way);
  const both = known ? known.map((was, axis) => eitherStride(was, at[axis]!)) : at;
  return sameIndices(known, both) ? ways : new Map([...ways, [way, both]]);
}

/** Adds what some seekers ask of a member; those that then ask for the same stay one group, however many passes they belong to. */
function joinGroups(groups: Group[], asking: bigint, way: Way, at: readonly IndexStride[]): void {
  let rest = asking;
  const moved: Group[] = [];
  for (const group of groups) {
    const who = group.who & rest;
    if (who === 0n) continue;
    rest &= ~who;
    const ways = withWay(group.ways, way, at);
    if (ways === group.ways) continue;
    group.who &= ~who;
    moved.push({ who, ways });
  }
  if (rest !== 0n) moved.push({ who: rest, ways: new Map([[way, at]]) });
  for (const each of moved) {
    const like = groups.find(({ who, ways }) => who !== 0n && sameWays(ways, each.ways));
    if (like) like.who |= each.who;
    else groups.push(each);
  }
}

/** What each seeker loads: all are followed at once, so that a member is gone through once for all passes that ask the same of it. */
export function loadsOf(
  graph: Graph,
  members: readonly NodeId[],
  seekers: readonly Seeker[],
  form: RegionForm,
  width: number,
  algebra = indexStrides,
): Loads[] {
  const way = new WayBack(members);
  const asked = new Map<NodeId, Group[]>();
  const found = seekers.map(() => ({ changing: new Set<NodeId>(), still: new Set<NodeId>() }));
  const arrive = (id: NodeId, who: bigint, when: keyof Loads): void => {
    let current = node(graph, id);
    while (isFreeView(current)) current = node(graph, current.inputs[0]!);
    if (isInlined(current)) return;
    for (let bits = who, i = 0; bits !== 0n; bits >>= 1n, i++) if (bits & 1n) found[i]![when].add(current.id);
  };
  const askFor =
    (who: bigint): Ask =>
    (id, indices, from) => {
      const { shape } = node(graph, id).type;
      const at = indices.map((position, axis) => (shape[axis] === 1 ? FIRST : position));
      const where = from === "branch" ? from : at.some(({ step }) => step !== 0) ? "turn" : "row";
      if (!way.ask(id)) {
        arrive(id, who, where === "row" ? "still" : "changing");
        return;
      }
      const groups = asked.get(id) ?? [];
      asked.set(id, groups);
      joinGroups(groups, who, wayOf(where, shownAlone(graph, id, at, algebra)), at);
    };
  const starts = new Map<Neighbour | null, Map<readonly LayoutStep[] | null, readonly IndexStride[]>>();
  seekers.forEach(({ root: { id, layout }, lane }, i) => {
    const ofLane = starts.get(lane) ?? new Map<readonly LayoutStep[] | null, readonly IndexStride[]>();
    const key = layout.length === 0 ? null : layout;
    const start = ofLane.get(key) ?? stridesAlong(layout, form, width, lane);
    starts.set(lane, ofLane.set(key, start));
    askFor(1n << BigInt(i))(id, start, "turn");
  });
  for (let id = way.next(); id !== null; id = way.next()) {
    if (endsPass(node(graph, id))) continue;
    for (const { who, ways } of asked.get(id)!) {
      if (who === 0n) continue;
      for (const [{ from }, at] of ways) askOperands(graph, id, at, from, askFor(who), algebra);
    }
  }
  return found;
}

/** The only index of an axis of length 1. */
const FIRST = indexStrides.int(0);

/** What one member asks of its operands when it is asked for at an index that changes in these steps. */
function askOperands(
  graph: Graph,
  id: NodeId,
  at: readonly IndexStride[],
  from: Asked,
  ask: Ask,
  algebra: typeof indexStrides,
): void {
  const n = node(graph, id);
  const { kind, gather } = opDef(n.op);
  if (kind === "gather") {
    const { shape } = node(graph, n.inputs[0]!).type;
    const axis = gather!.axis(n.attrs, shape);
    const indices = at.slice(axis, axis + node(graph, n.inputs[1]!).type.shape.length);
    const moves = indices.some(({ step }) => step !== 0);
    ask(n.inputs[1]!, indices, from);
    const position = movingIndex(moves ? 1 : 0, 0, Math.max(0, shape[axis]! - 1));
    ask(n.inputs[0]!, [...at.slice(0, axis), position, ...at.slice(axis + indices.length)], from);
    return;
  }
  if (kind === "search" || kind === "ranges") {
    askByData(graph, n, at, from, ask);
    return;
  }
  if (kind !== "movement") {
    n.inputs.forEach((input) => {
      const { shape } = node(graph, input).type;
      ask(
        input,
        shape.map((_, axis) => at[at.length - shape.length + axis]!),
        from,
      );
    });
    return;
  }
  const cases = casesAt(graph, n, at, algebra);
  // A choice that the row makes is made before the loop.
  for (const [number, { when, operand, index }] of cases.entries()) {
    const certain = when === null || when === "always";
    ask(n.inputs[operand]!, index, from === "turn" && !(certain && number === 0) ? "branch" : from);
    if (certain) break;
  }
}

/** Where elements of a movement come from, as far as they exist. */
function casesAt(
  graph: Graph,
  n: Node,
  at: readonly IndexStride[],
  algebra: typeof indexStrides,
): IndexCase<IndexStride, Holds>[] {
  const inputs = n.inputs.map((input) => node(graph, input).type.shape);
  const context = { inputs, output: n.type.shape, attrs: n.attrs };
  return opDef(n.op)
    .movement!.source(at, context, algebra)
    .filter(({ when }) => when !== "never");
}

/** The operand that a movement of several shows at all of these indices. */
function shownAlone(graph: Graph, id: NodeId, at: readonly IndexStride[], algebra: typeof indexStrides): number | null {
  const n = node(graph, id);
  if (n.inputs.length < 2 || opDef(n.op).kind !== "movement") return null;
  const first = casesAt(graph, n, at, algebra)[0];
  return first && (first.when === null || first.when === "always") ? first.operand : null;
}

/** A search asks for keys anywhere; a range for its ends, and for whatever rows it lists between them. */
function askByData(graph: Graph, n: Node, at: readonly IndexStride[], from: Asked, ask: Ask): void {
  const shapes = n.inputs.map((input) => node(graph, input).type.shape);
  const anywhere = (extent: number): IndexStride => movingIndex(1, 0, Math.max(0, extent - 1));
  const { kind, ranges } = opDef(n.op);
  if (kind === "search") {
    ask(n.inputs[0]!, [anywhere(shapes[0]![0]!)], from);
    ask(n.inputs[1]!, at, from);
    return;
  }
  const axis = ranges!.axis(n.attrs, shapes[0]!);
  for (const end of n.inputs.slice(2)) ask(end, [at[axis]!], from);
  ask(n.inputs[1]!, [anywhere(shapes[1]![0]!)], from);
  ask(
    n.inputs[0]!,
    at.map((step, i) => (i === axis ? anywhere(shapes[0]![axis]!) : step)),
    from,
  );
}

/** Whether a member selects what its elements are: an operand, an index of it, or nothing. */
export const selectsElements = (graph: Graph, members: readonly NodeId[]): boolean =>
  members.some((id) => {
    const { kind, movement } = opDef(node(graph, id).op);
    return kind === "movement" && !movement!.free;
  });

const FOURS: Readonly<Record<Neighbour["along"], readonly Neighbour[]>> = {
  rows: [0, 1, 2, 3].map((number) => ({ along: "rows", number })),
  columns: [0, 1, 2, 3].map((number) => ({ along: "columns", number })),
};

/** Of whom loads are asked, one by one: of the four neighbours where elements are selected, else of any. */
export const neighboursOf = (graph: Graph, members: readonly NodeId[], lane: Lane): readonly (Neighbour | null)[] =>
  lane !== "none" && selectsElements(graph, members) ? FOURS[lane] : [null];

/** What each pass loads for each of its lanes, where a thread takes so many neighbouring columns in a turn. */
export type LoadsOfPasses = (width: number) => readonly (readonly Loads[])[];

/**
 * The same, found once for each width.
 * @param lane where the four neighbours lie that a thread takes at a time
 */
export function openLoads(
  graph: Graph,
  { members }: Pick<Region, "members">,
  form: RegionForm,
  roots: readonly PassRoot[],
  lane: Lane,
): LoadsOfPasses {
  const lanes = neighboursOf(graph, members, lane);
  const known = new Map<number, readonly (readonly Loads[])[]>();
  return (width) => {
    let found = known.get(width);
    if (!found) {
      const seekers = roots.flatMap((root) => lanes.map((lane) => ({ root, lane })));
      const loads = loadsOf(graph, members, seekers, form, width);
      found = roots.map((_, i) => loads.slice(i * lanes.length, (i + 1) * lanes.length));
      known.set(width, found);
    }
    return found;
  };
}
