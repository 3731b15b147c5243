/** @file How often a streaming row kernel walks over each stored value: once a pass that loads it at an index of its own per column. */
import { node, type Graph, type NodeId, type Region } from "../../../../ir";
import { loadsByData, opDef } from "../../../../ops";
import { ALL_PROBES, offsetsAt, touchedElements, type Points } from "../../../count/reads";
import { endsPass } from "./row-ops";
import { loadsOf, type Loads, type LoadsOfPasses, type PassRoot } from "./row-loads";
import { sharedStrides } from "../../../indices/index-strides";
import { pointAfter, unravelled } from "../../../indices/row-layout";
import type { RegionForm } from "../../../types";

/** How a row is walked: neighbouring columns that one thread takes in a turn of its loop, and columns that all of its threads take in one. */
export interface RowIteration {
  readonly own: number;
  readonly all: number;
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
    if (!walked) {
      const stages = loadedElsewhere(graph, region, form, loads, value, (asked) =>
        whole(around, asked).includes(value),
      );
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

/** Of no row in particular. */
const NOTHING_KNOWN: ReadonlyMap<number, number> = new Map();

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
    roots.map((root) => ({ root, lane: NOTHING_KNOWN })),
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
  const passed = indicesOf(graph, members, roots, points);
  const wanted = offsetsAt(
    graph,
    members,
    byRow.map((id) => ({ id, points: sampled.map((row) => unravelled(row, node(graph, id).type.shape)) })),
    ALL_PROBES,
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
