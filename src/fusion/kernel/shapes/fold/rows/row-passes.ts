/** @file How often a streaming row kernel walks over each stored value: once a pass that loads it at an index of its own per column. */
import { node, type Graph, type Node, type NodeId, type Region } from "../../../../ir";
import { loadsByData, opDef } from "../../../../ops";
import { offsetsAt, touchedElements, type Points } from "../../../count/reads";
import { WayBack } from "../../../count/way-back";
import { endsPass } from "./row-ops";
import {
  eitherStride,
  movingIndex,
  sharedStrides,
  indexStrides,
  stridesAlong,
  type IndexStride,
} from "../../../indices/index-strides";
import { pointAfter, unravelled, type LayoutStep } from "../../../indices/row-layout";
import type { RegionForm } from "../../../types";
import { isFreeView, isInlined } from "../../../indices/views";

/** What a pass over the rows asks for, and how it lies in the space. */
export interface PassRoot {
  readonly id: NodeId;
  readonly stage: number;
  readonly layout: readonly LayoutStep[];
}

/** How a row is walked: neighbouring columns that one thread takes in a turn of its loop, and columns that all of its threads take in one. */
export interface RowIteration {
  readonly own: number;
  readonly all: number;
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

function loadsOf(
  graph: Graph,
  members: readonly NodeId[],
  { id: root, layout }: PassRoot,
  form: RegionForm,
  width: number,
  fixed: ReadonlyMap<number, number>,
  algebra = indexStrides,
): Loads {
  const way = new WayBack(members);
  const asked = new Map<NodeId, Map<Asked, readonly IndexStride[]>>();
  const [changing, still] = [new Set<NodeId>(), new Set<NodeId>()];
  const arrive = (id: NodeId, loads: Set<NodeId>): void => {
    let current = node(graph, id);
    while (isFreeView(current)) current = node(graph, current.inputs[0]!);
    if (!isInlined(current)) loads.add(current.id);
  };
  const ask: Ask = (id, indices, from) => {
    const { shape } = node(graph, id).type;
    const at = indices.map((position, axis) => (shape[axis] === 1 ? indexStrides.int(0) : position));
    const where = from === "branch" ? from : at.some(({ step }) => step !== 0) ? "turn" : "row";
    if (!way.ask(id)) {
      arrive(id, where === "row" ? still : changing);
      return;
    }
    const ways = asked.get(id) ?? new Map<Asked, readonly IndexStride[]>();
    const known = ways.get(where);
    asked.set(id, ways.set(where, known ? known.map((was, axis) => eitherStride(was, at[axis]!)) : at));
  };
  ask(root, stridesAlong(layout, form, width, fixed), "turn");
  for (let id = way.next(); id !== null; id = way.next()) {
    if (endsPass(node(graph, id))) continue;
    for (const [from, at] of asked.get(id)!) askOperands(graph, id, at, from, ask, algebra);
  }
  return { changing, still };
}

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
  const { kind, movement, gather } = opDef(n.op);
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
  const inputs = n.inputs.map((input) => node(graph, input).type.shape);
  const context = { inputs, output: n.type.shape, attrs: n.attrs };
  const cases = movement!.source(at, context, algebra).filter(({ when }) => when !== "never");
  // A choice that the row makes is made before the loop.
  for (const [number, { when, operand, index }] of cases.entries()) {
    const certain = when === null || when === "always";
    ask(n.inputs[operand]!, index, from === "turn" && !(certain && number === 0) ? "branch" : from);
    if (certain) break;
  }
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

/** What each pass loads for each of its lanes, where a thread takes so many neighbouring columns in a turn. */
export type LoadsOfPasses = (width: number) => readonly (readonly Loads[])[];

/**
 * The same, found once for each width.
 * @param lanes what is known of the rows that a thread takes at a time, for each of them
 */
export function openLoads(
  graph: Graph,
  { members }: Pick<Region, "members">,
  form: RegionForm,
  roots: readonly PassRoot[],
  lanes: readonly ReadonlyMap<number, number>[],
): LoadsOfPasses {
  const known = new Map<number, readonly (readonly Loads[])[]>();
  return (width) => {
    const found =
      known.get(width) ?? roots.map((root) => lanes.map((lane) => loadsOf(graph, members, root, form, width, lane)));
    known.set(width, found);
    return found;
  };
}

/** Passes that are no loop: what is loaded for a row before its loops, and after them. */
const BEFORE = -2;
const AFTER = -1;
const NOWHERE: ReadonlySet<NodeId> = new Set();

/**
 * Passes in which each stored value is loaded column by column, and the one in which rows first load an element of it each where that adds up to all of it.
 * @param roots what each pass asks for
 * @param byRow outputs with one value a row; where they read all that is touched, that is one more pass, unless a pass before had the same element for its row
 * @param touched distinct elements of each stored value
 * @param loadsOfPasses in the order of the roots
 */
export function passesPerRead(
  graph: Graph,
  region: Pick<Region, "members">,
  form: RegionForm,
  roots: readonly PassRoot[],
  byRow: readonly NodeId[],
  touched: ReadonlyMap<NodeId, number>,
  turn: RowIteration,
  loadsOfPasses: LoadsOfPasses,
): Map<NodeId, number> {
  const passes = new Map<NodeId, Set<number>>();
  const known = new Set<NodeId>();
  const loads = loadsOfPasses(turn.own).flatMap((lanes, i) => lanes.map((lane) => ({ root: roots[i]!, ...lane })));
  for (const { root, changing, still } of loads) {
    for (const value of still) known.add(value);
    for (const value of changing) passes.set(value, (passes.get(value) ?? new Set()).add(root.stage));
  }
  for (const { value, stage } of cachedByThreads(graph, region, form, roots, turn)) passes.get(value)?.delete(stage);
  const around = region.members.filter((id) => !endsPass(node(graph, id)));
  const whole = (members: readonly NodeId[], asked: readonly NodeId[]): NodeId[] =>
    asked.length === 0
      ? []
      : [...touchedElements(graph, members, asked)].flatMap(([value, elements]) =>
          elements === touched.get(value) ? [value] : [],
        );
  // What one pass walks and a row of another loads once is loaded in both; a row keeps what it loaded once.
  for (const value of known) {
    const walked = passes.get(value);
    if (!walked) continue;
    const held = loads.filter(({ still }) => still.has(value));
    const first = held.reduce((least, { root }) => Math.min(least, root.stage), Infinity);
    if (walked.has(first)) continue;
    const holding = held.filter(({ root }) => root.stage === first);
    const walking = loads.filter(({ changing }) => changing.has(value));
    const both = [holding, walking].every((asking) =>
      whole(
        around,
        asking.map(({ root }) => root.id),
      ).includes(value),
    );
    if (both) walked.add(first);
  }
  const again = whole(around, byRow);
  // One turn is no loop: what it loaded for the row is still there.
  const inOne = turn.all >= form.columns;
  const indices = again.some((value) => known.has(value) || (inOne && passes.has(value)))
    ? indicesAfter(graph, region, form, roots, byRow)
    : { same: NOWHERE, other: NOWHERE };
  const before =
    indices.other.size > 0
      ? new Set(
          whole(
            region.members,
            roots.map(({ id }) => id),
          ),
        )
      : NOWHERE;
  for (const value of again) {
    if (known.has(value) ? !indices.other.has(value) : inOne && indices.same.has(value)) continue;
    if (passes.has(value)) passes.get(value)!.add(AFTER);
    else if (before.has(value)) passes.set(value, new Set([BEFORE, AFTER]));
  }
  const shares = sharesOf(graph, around, roots, touched);
  return new Map(
    [...passes].map(([value, set]) => [value, shares ? wholeWalks(set, (stage) => shares(value, stage)) : set.size]),
  );
}

/** Walks over all of a value that passes over some of it each add up to; a part of a walk beside whole ones is not counted. */
function wholeWalks(stages: ReadonlySet<number>, share: (stage: number) => number): number {
  const walks = [...stages].reduce((sum, stage) => sum + share(stage), 0);
  return Math.max(1, Math.floor(walks + 1e-9));
}

/** What part of all that is touched of a value one pass asks for; null where no member selects elements, so that each asks for all of them. */
function sharesOf(
  graph: Graph,
  around: readonly NodeId[],
  roots: readonly PassRoot[],
  touched: ReadonlyMap<NodeId, number>,
): ((value: NodeId, stage: number) => number) | null {
  const selects = (id: NodeId): boolean => {
    const { kind, movement } = opDef(node(graph, id).op);
    return kind === "movement" && !movement!.free;
  };
  if (!around.some(selects)) return null;
  const asked = new Map<number, NodeId[]>();
  for (const { stage, id } of roots) asked.set(stage, [...(asked.get(stage) ?? []), id]);
  const known = new Map<number, ReadonlyMap<NodeId, number>>();
  return (value, stage) => {
    const all = touched.get(value) ?? 0;
    const wanted = asked.get(stage);
    if (all === 0 || !wanted) return 1;
    const mine = known.get(stage) ?? touchedElements(graph, around, wanted);
    known.set(stage, mine);
    return Math.min(1, (mine.get(value) ?? all) / all);
  };
}

/**
 * Passes that load nothing of a value: what each thread asks for is the same in all of its iterations, and a pass before left it with the thread.
 */
function cachedByThreads(
  graph: Graph,
  { members }: Pick<Region, "members">,
  form: RegionForm,
  roots: readonly PassRoot[],
  { own, all }: RowIteration,
): { readonly value: NodeId; readonly stage: number }[] {
  // What is gathered may lie elsewhere at each of the same indices.
  if (own === all || members.some((id) => loadsByData(opDef(node(graph, id).op)))) return [];
  const { points } = somePoints(form);
  const had = new Map<NodeId, (readonly number[])[]>();
  const stages = [...new Set(roots.map(({ stage }) => stage))].toSorted((a, b) => a - b);
  return stages.flatMap((stage) => {
    const asking = roots.filter((root) => root.stage === stage);
    const walked = new Set(
      asking.flatMap((root) => [...loadsOf(graph, members, root, form, all, new Map(), sharedStrides).changing]),
    );
    return [...indicesOf(graph, members, asking, points)].flatMap(([value, ways]) => {
      if (walked.has(value)) return [];
      const known = had.get(value) ?? [];
      const others = ways.filter(
        (way) => !known.some((indices) => indices.every((position, i) => position === way[i])),
      );
      had.set(value, [...known, ...others]);
      return others.length === 0 ? [{ value, stage }] : [];
    });
  });
}

/** Few rows or columns that tell one order of elements from another. */
const someOf = (size: number): number[] =>
  [...new Set([0, 1, Math.floor(size / 2), size - 1])].filter((at) => at >= 0 && at < size);

/** Few points of the space: some columns of some rows, one row after the other. */
function somePoints({ space, reducedAxes, rows, columns }: RegionForm): {
  sampled: number[];
  along: number[];
  points: Points;
} {
  const [sampled, along] = [someOf(rows), someOf(columns)];
  const rowShape = space.map((extent, axis) => (reducedAxes.includes(axis) ? 1 : extent));
  const folded = space.map((extent, axis) => (reducedAxes.includes(axis) ? extent : 1));
  const points = sampled.flatMap((row) => {
    const at = unravelled(row, rowShape);
    return along.map((column) => unravelled(column, folded).map((value, axis) => value + at[axis]!));
  });
  return { sampled, along, points };
}

/** Where the passes load each stored value for these points of the space. */
const indicesOf = (
  graph: Graph,
  members: readonly NodeId[],
  roots: readonly PassRoot[],
  points: Points,
): ReturnType<typeof offsetsAt> =>
  offsetsAt(
    graph,
    members,
    roots.map(({ id, layout }) => ({
      id,
      points: layout.length === 0 ? points : points.map((at) => pointAfter(layout, at)),
    })),
  );

/** Stored values that the outputs with one value a row load where the passes before them did, and elsewhere, as far as those load at indices that can be followed. */
function indicesAfter(
  graph: Graph,
  { members }: Pick<Region, "members">,
  form: RegionForm,
  roots: readonly PassRoot[],
  byRow: readonly NodeId[],
): { readonly same: ReadonlySet<NodeId>; readonly other: ReadonlySet<NodeId> } {
  const { sampled, along, points } = somePoints(form);
  const passed = indicesOf(graph, members, roots, points);
  const wanted = offsetsAt(
    graph,
    members,
    byRow.map((id) => ({ id, points: sampled.map((row) => unravelled(row, node(graph, id).type.shape)) })),
  );
  const [same, other] = [new Set<NodeId>(), new Set<NodeId>()];
  for (const [value, ways] of wanted) {
    const known = passed.get(value) ?? [];
    // The same in every column, and in each row the element that is wanted.
    const matches = (way: readonly number[]): boolean =>
      known.some((indices) => indices.every((position, i) => position === way[Math.floor(i / along.length)]));
    if (known.length > 0) (ways.every(matches) ? same : other).add(value);
  }
  return { same, other };
}
