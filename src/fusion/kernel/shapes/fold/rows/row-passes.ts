/** @file How often a streaming row kernel walks over each stored value: once a pass that loads it at an index of its own per column. */
import { node, type Graph, type NodeId, type Region } from "../../../../ir";
import { loadsByData, opDef } from "../../../../ops";
import { ALL_PROBES, offsetsAt, touchedElements, type Points } from "../../../count/reads";
import { endsPass } from "./row-ops";
import { loadsOf, selectsElements, type Loads, type LoadsOfPasses, type PassRoot } from "./row-loads";
import { sharedStrides } from "../../../indices/index-strides";
import { pointAfter, unravelled } from "../../../indices/row-layout";
import type { RegionForm } from "../../../types";

/**
 * How a row is walked: neighbouring columns that one thread takes in a turn of its loop, and columns that all of its threads take in one;
 * whether it is held, so that it is loaded once and without a loop.
 */
export interface RowIteration {
  readonly own: number;
  readonly all: number;
  readonly held: boolean;
}

/** Passes that are no loop: what is loaded for a row before its loops, and after them. */
const BEFORE = -2;
const AFTER = -1;
const NOWHERE: ReadonlySet<NodeId> = new Set();

/**
 * Passes in which each stored value is loaded column by column, and the one in which rows first load an element of it each where that adds up to all of it.
 * @param asked what each pass asks for
 * @param byRow outputs with one value a row; where they read all that is touched, that is one more pass, unless a pass before had the same element for its row
 * @param touched distinct elements of each stored value
 * @param loadsOfPasses in the order of the roots
 */
export function passesPerRead(
  graph: Graph,
  region: Pick<Region, "members">,
  form: RegionForm,
  asked: readonly PassRoot[],
  byRow: readonly NodeId[],
  touched: ReadonlyMap<NodeId, number>,
  turn: RowIteration,
  loadsOfPasses: LoadsOfPasses,
): Map<NodeId, number> {
  const roots = turn.held ? asked.map((root) => ({ ...root, stage: 0 })) : asked;
  const passes = new Map<NodeId, Set<number>>();
  const known = new Set<NodeId>();
  const loads = loadsOfPasses(turn.own).flatMap((lanes, i) => lanes.map((lane) => ({ root: roots[i]!, ...lane })));
  for (const { root, changing, still } of loads) {
    for (const value of still) known.add(value);
    for (const value of changing) passes.set(value, (passes.get(value) ?? new Set()).add(root.stage));
  }
  for (const { value, stage } of cachedByThreads(graph, region, form, roots, turn)) passes.get(value)?.delete(stage);
  const around = region.members.filter((id) => !endsPass(node(graph, id)));
  const whole = (members: readonly NodeId[], ids: readonly NodeId[]): NodeId[] =>
    ids.length === 0
      ? []
      : [...touchedElements(graph, members, ids)].flatMap(([value, elements]) =>
          elements === touched.get(value) ? [value] : [],
        );
  // What one pass walks and a row of another loads once is loaded in both; a row keeps what it loaded once.
  for (const value of known) {
    const walked = passes.get(value);
    if (!walked) {
      const stages = loadedElsewhere(graph, region, form, loads, value, (ids) => whole(around, ids).includes(value));
      if (stages.size > 1) passes.set(value, stages);
      continue;
    }
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
  const early = turn.held && again.length > 0 ? askedBeforeLast(graph, around, form, asked) : null;
  for (const value of again) {
    if (early?.has(value) === false) continue;
    if (known.has(value) ? !indices.other.has(value) : inOne && indices.same.has(value)) continue;
    if (passes.has(value)) passes.get(value)!.add(AFTER);
    else if (before.has(value)) passes.set(value, new Set([BEFORE, AFTER]));
  }
  const shares = sharesOf(graph, around, roots, touched);
  return new Map(
    [...passes].map(([value, set]) => [value, shares ? wholeWalks(set, (stage) => shares(value, stage)) : set.size]),
  );
}

/**
 * Stored values that a held row asks for before its last barrier: those of all folds and scans, and of what is stored before the last pass.
 * All others are loaded with what the row's own values load, since no loop lies between.
 */
function askedBeforeLast(
  graph: Graph,
  around: readonly NodeId[],
  { reductions, orders, scans }: RegionForm,
  asked: readonly PassRoot[],
): ReadonlySet<NodeId> {
  const folds = [...reductions, ...orders];
  // What is first of a row in order is stored by a loop, before the row's own values.
  const last = orders.length > 0 ? Infinity : asked.reduce((most, { stage }) => Math.max(most, stage), 0);
  const joins = folds.some(({ stage }) => stage === last);
  const before = asked.flatMap(({ id, stage }) => (joins || stage < last ? [id] : []));
  const operands = scans.map((id) => node(graph, id).inputs[0]!);
  return new Set(touchedElements(graph, around, [...before, ...operands]).keys());
}

/** Passes whose rows load all of a value once, each where no pass before it did. */
function loadedElsewhere(
  graph: Graph,
  { members }: Pick<Region, "members">,
  form: RegionForm,
  loads: readonly (Loads & { readonly root: PassRoot })[],
  value: NodeId,
  isWhole: (roots: readonly NodeId[]) => boolean,
): Set<number> {
  const held = loads.filter(({ still }) => still.has(value));
  const stages = [...new Set(held.map(({ root }) => root.stage))].toSorted((a, b) => a - b);
  const found = new Set<number>();
  if (stages.length < 2) return found;
  const { points } = somePoints(form);
  const had = new Set<string>();
  for (const stage of stages) {
    const roots = held.flatMap(({ root }) => (root.stage === stage ? [root] : []));
    const ways = (indicesOf(graph, members, roots, points).get(value) ?? []).map((way) => way.join());
    const isNew = ways.some((way) => !had.has(way));
    for (const way of ways) had.add(way);
    if (isNew && isWhole(roots.map(({ id }) => id))) found.add(stage);
  }
  return found;
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
  if (!selectsElements(graph, around)) return null;
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
  const stages = [...new Set(roots.map(({ stage }) => stage))].toSorted((a, b) => a - b);
  // Nothing was left by a pass before the first.
  if (stages.length < 2) return [];
  const { points } = somePoints(form);
  const had = new Map<NodeId, (readonly number[])[]>();
  const loads = loadsOf(
    graph,
    members,
    roots.map((root) => ({ root, lane: null })),
    form,
    all,
    sharedStrides,
  );
  return stages.flatMap((stage) => {
    const asking = roots.filter((root) => root.stage === stage);
    const walked = new Set(loads.flatMap(({ changing }, i) => (roots[i]!.stage === stage ? [...changing] : [])));
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
    ALL_PROBES,
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
  // Column by column: where a movement leaves gaps, as windows with steps between do, some columns ask for nothing.
  const passed = along.map((_, column) => {
    const own = points.filter((_point, i) => i % along.length === column);
    return indicesOf(graph, members, roots, own);
  });
  const wanted = offsetsAt(
    graph,
    members,
    byRow.map((id) => ({ id, points: sampled.map((row) => unravelled(row, node(graph, id).type.shape)) })),
    ALL_PROBES,
  );
  const [same, other] = [new Set<NodeId>(), new Set<NodeId>()];
  for (const [value, ways] of wanted) {
    const known = passed.flatMap((found) => (found.has(value) ? [found.get(value)!] : []));
    // The same in every column that asks, and in each row the element that is wanted.
    const matches = (way: readonly number[]): boolean =>
      known.every((ways) => ways.some((indices) => indices.every((position, row) => position === way[row])));
    if (known.length > 0) (ways.every(matches) ? same : other).add(value);
  }
  return { same, other };
}
