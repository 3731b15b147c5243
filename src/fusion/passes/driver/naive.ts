/** @file The naive plan: one region per call as written, per statement, or per primitive. State 0 of every compilation. */
import {
  type Fusion,
  type Granularity,
  type Graph,
  isSource,
  MAX_BINDINGS,
  node,
  type NodeId,
  type Region,
  regionId,
  statementOf,
  usesOf,
} from "../../ir";
import { positionsOf } from "../../cost";
import { withRounded } from "../../ops";
import { bySize, classifyPlain, isFreeView, launchedKey, longestRun, loopKey, storedInputs } from "../../kernel";
import { regionsInTextOrder } from "./planner";

/** The call that a node is part of: the loop that it is a result of, one that nobody wrote, its outermost composite, or itself. */
const callOf = (graph: Graph, id: NodeId, together: ReadonlyMap<NodeId, string>): string =>
  loopKey(node(graph, id)) ??
  together.get(id) ??
  node(graph, id).groups.find(({ kind }) => kind === "composite")?.id ??
  id;

interface Gathered {
  readonly members: NodeId[];
  /** Others that read some of its members. */
  readonly readers: Set<Gathered>;
}

/** Whether `to` is computed from some of `from`. */
function reaches(from: Gathered, to: Gathered): boolean {
  const met = new Set([from]);
  for (const each of met) for (const reader of each.readers) met.add(reader);
  return met.has(to);
}

/**
 * Nodes of one key together, in groups that can be computed one after the other. A node begins another group where a path leaves the one
 * that it would join and comes back to it: a call with a kernel of another in its middle is a call before it, and another after it.
 * @param ids in topological order
 */
function gathered(graph: Graph, ids: readonly NodeId[], key: (id: NodeId) => string): NodeId[][] {
  const groups = new Map<string, Gathered[]>();
  const homes = new Map<NodeId, Gathered>();
  for (const id of ids) {
    const read = new Set(node(graph, id).inputs.flatMap((input) => homes.get(input) ?? []));
    const joins = (group: Gathered): boolean => [...read].every((from) => from === group || !reaches(group, from));
    const alike = groups.get(key(id)) ?? [];
    const home = alike.find(joins) ?? { members: [], readers: new Set() };
    if (home.members.length === 0) groups.set(key(id), [...alike, home]);
    home.members.push(id);
    homes.set(id, home);
    for (const from of read) if (from !== home) from.readers.add(home);
  }
  return [...groups.values()].flat().map(({ members }) => members);
}

/**
 * One region per kernel of the naive plan. A free view is a region of its own without a kernel; a composite that one kernel
 * can't compute is cut where it must be, a statement into its calls.
 * @param together the names of calls that nobody wrote, by their nodes
 */
export function naiveFusion(
  graph: Graph,
  granularity: Granularity,
  strict = false,
  together: ReadonlyMap<NodeId, string> = new Map(),
): Fusion {
  const ids = [...graph.nodes.values()].filter((n) => !isSource(n)).map(({ id }) => id);
  const outputs = new Set(graph.outputs);
  const calls = (members: readonly NodeId[]): Region[] =>
    gathered(graph, members, (id) => callOf(graph, id, together)).flatMap((call) => kernelsOf(graph, call, outputs));
  const cut: Record<Granularity, () => Region[]> = {
    primitive: () =>
      gathered(graph, ids, (id) => loopKey(node(graph, id)) ?? id).flatMap((one) => kernelsOf(graph, one, outputs)),
    op: () => calls(ids),
    statement: () =>
      gathered(graph, ids, (id) => loopKey(node(graph, id)) ?? statementOf(id)).flatMap(
        (members) => wholeOf(graph, members, outputs) ?? calls(members),
      ),
  };
  const positions = positionsOf(graph);
  const regions = regionsInTextOrder(cut[granularity](), (id) => positions.of(node(graph, id)));
  return { graph: strict ? withRounded(graph, storedHalves(graph, regions.values())) : graph, regions };
}

/** f16 values that the plan stores: strict mode keeps their roundings wherever they are computed. */
function storedHalves(graph: Graph, regions: Iterable<Region>): ReadonlySet<NodeId> {
  const stored = [...regions].flatMap(({ outputs }) => outputs);
  return new Set(stored.filter((id) => node(graph, id).type.dtype === "f16" && !isFreeView(node(graph, id))));
}

/** Values of `members` that somebody outside reads, that are results, or that nobody reads at all. */
function leaving(graph: Graph, members: ReadonlySet<NodeId>, outputs: ReadonlySet<NodeId>): NodeId[] {
  const uses = usesOf(graph);
  return [...members].filter((id) => {
    const readers = uses.get(id)!;
    return outputs.has(id) || readers.length === 0 || readers.some(({ consumer }) => !members.has(consumer));
  });
}

/** One kernel for all of `members` with the views that others see; null when no kernel can compute them. */
function wholeOf(graph: Graph, members: readonly NodeId[], outputs: ReadonlySet<NodeId>): Region[] | null {
  if (members.length > 1 && longestRun(graph, members) < members.length) return null;
  const whole = regionsOf(graph, members, outputs);
  return members.length === 1 || whole.every((region) => fitsOneKernel(graph, region)) ? whole : null;
}

/** The naive plan is the same on every machine, so it keeps within what every machine binds; and one loop is one size. */
export function fitsOneKernel(graph: Graph, { members, outputs }: Region): boolean {
  const bound = launchedKey(graph, members) === null ? storedInputs(graph, members).length + outputs.length : 0;
  if (bound > MAX_BINDINGS) return false;
  const answer = classifyPlain(graph, members, outputs);
  return answer.ok && (answer.form.template !== "pointwise" || bySize(graph, outputs).length < 2);
}

/** The kernels of what is written as one call, or as one statement. */
export function kernelsOf(graph: Graph, members: readonly NodeId[], outputs: ReadonlySet<NodeId>): Region[] {
  const whole = wholeOf(graph, members, outputs);
  if (whole) return whole;
  const fits = (region: Region): boolean => fitsOneKernel(graph, region);
  const parts: Region[] = [];
  let rest = members;
  while (rest.length > 0) {
    let take = Math.max(1, longestRun(graph, rest));
    while (take > 1 && !regionsOf(graph, rest.slice(0, take), outputs).every(fits)) take--;
    parts.push(...regionsOf(graph, rest.slice(0, take), outputs));
    rest = rest.slice(take);
  }
  return parts;
}

/** The kernel that computes `members`, and a view region for each free view of it that others see. */
export function regionsOf(graph: Graph, members: readonly NodeId[], outputs: ReadonlySet<NodeId>): Region[] {
  const inside = new Set(members);
  const seen = leaving(graph, inside, outputs);
  const views: Region[] = [];
  const stored = new Set<NodeId>();
  for (const id of seen) {
    let current = id;
    while (inside.has(current) && isFreeView(node(graph, current))) {
      if (!views.some((view) => view.members[0] === current)) {
        views.push({ id: regionId(`k:${current}`), members: [current], outputs: [current] });
      }
      current = node(graph, current).inputs[0]!;
    }
    if (inside.has(current)) stored.add(current);
  }
  const inOrder = members.filter((id) => stored.has(id));
  if (inOrder.length === 0) return views;
  const needed = reaching(graph, inside, inOrder);
  const kernel: Region = {
    id: regionId(`k:${inOrder.at(-1)!}`),
    members: members.filter((id) => needed.has(id)),
    outputs: inOrder,
  };
  return [kernel, ...views];
}

/** Members that some of `from` depends on, themselves included. */
function reaching(graph: Graph, inside: ReadonlySet<NodeId>, from: readonly NodeId[]): Set<NodeId> {
  const found = new Set<NodeId>(from);
  const open = [...from];
  while (open.length > 0) {
    for (const input of node(graph, open.pop()!).inputs) {
      if (!inside.has(input) || found.has(input)) continue;
      found.add(input);
      open.push(input);
    }
  }
  return found;
}
