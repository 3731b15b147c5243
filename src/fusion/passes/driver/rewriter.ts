/** @file Turns a change of nodes into a patch of nodes and regions: who reads what afterwards, which regions shrink, what they store. */
import {
  freshRegionId,
  type Graph,
  isInput,
  isLiteral,
  node,
  type Node,
  type NodeId,
  type Patch,
  type Region,
  type RegionId,
  regionId,
} from "../../ir";
import { isFreeView, neededBy } from "../../kernel";
import type { Planner } from "./planner";

/** A change of nodes. A node in `after` replaces the one of the same id. */
export interface NodeChange {
  readonly gone: readonly NodeId[];
  readonly after: readonly Node[];
  /** The second replaces the first in its region. */
  readonly renamed?: readonly [NodeId, NodeId];
  /** New nodes, each with the node in whose regions it stands. */
  readonly inserted?: readonly (readonly [NodeId, NodeId])[];
  /** New nodes that are computed by regions of their own, with what is inserted beside them. */
  readonly ownRegions?: readonly NodeId[];
}

/** Readers of every node and the regions that hold it, updated with accepted changes. */
export interface Rewriter {
  readonly readersOf: (id: NodeId) => ReadonlySet<NodeId>;
  readonly regionsOf: (id: NodeId) => readonly RegionId[];
  /** Every reader of `from` reads `to`; `from` goes, and with it what only it needed. */
  readonly redirect: (from: NodeId, to: NodeId) => NodeChange;
  /** `from` goes and its id, a result's name, is given to `to`. Null where the order in the text forbids it. */
  readonly rename: (from: NodeId, to: NodeId) => NodeChange | null;
  /** The node is replaced under its own id. */
  readonly become: (changed: Node) => NodeChange;
  /** `gone` go, with what only they and the changed nodes needed, weights included; `after` are new or replace their like. */
  readonly replaced: (gone: readonly NodeId[], after: readonly Node[]) => NodeChange;
  /** The node and what only it needed go. */
  readonly drop: (id: NodeId) => NodeChange;
  readonly patchOf: (change: NodeChange) => Patch;
  /** The patch was applied. */
  readonly applied: (patch: Patch) => void;
}

/** The web of the last pass that rewrote, and the edition of the plan that it shows. */
const webs = new WeakMap<Planner, { readonly web: Web; readonly edition: number }>();

/** Most passes rewrite nothing: the next one finds the web as it was. */
function webOf(planner: Planner): Web {
  const known = webs.get(planner);
  if (known?.edition === planner.edition()) return known.web;
  const web = openWeb(planner);
  webs.set(planner, { web, edition: planner.edition() });
  return web;
}

export function openRewriter(planner: Planner): Rewriter {
  const web = webOf(planner);
  const { readersOf, holders } = web;
  return {
    readersOf,
    regionsOf: (id) => [...(holders.get(id) ?? [])],
    redirect(from, to) {
      const target = node(planner.graph, to);
      const after = rereading(web, from, to);
      return {
        gone: unneeded(web, [from], [to]),
        after: isInput(target) ? after : [withOrigins(web, target, [from]), ...after],
      };
    },
    rename: (from, to) => renaming(web, from, to),
    become: (changed) => becoming(web, changed),
    replaced: (gone, after) => ({ gone: [...gone, ...abandoned(web, gone, after)], after }),
    drop: (id) => ({ gone: unneeded(web, [id]), after: [] }),
    patchOf: (change) => patchFor(planner, relabelled(planner, change), readersOf, holders),
    applied(patch) {
      web.applied(patch);
      const edition = planner.edition();
      if (webs.get(planner)?.edition === edition - 1) webs.set(planner, { web, edition });
    },
  };
}

/** Who reads and who holds each node. */
interface Web {
  readonly planner: Planner;
  readonly readersOf: ReadersOf;
  readonly holders: Holders;
  readonly applied: (patch: Patch) => void;
}

function openWeb(planner: Planner): Web {
  const readers = new Map<NodeId, Set<NodeId>>();
  const holders = new Map<NodeId, Set<RegionId>>();
  for (const n of planner.graph.nodes.values()) for (const input of n.inputs) addTo(readers, input, n.id);
  for (const region of planner.regions.values()) for (const id of region.members) addTo(holders, id, region.id);
  return {
    planner,
    readersOf: (id) => readers.get(id) ?? NOBODY,
    holders,
    applied({ removedNodes, addedNodes, removedRegions, addedRegions }) {
      for (const { id, inputs } of removedNodes) for (const input of inputs) readers.get(input)?.delete(id);
      for (const { id, inputs } of addedNodes) for (const input of inputs) addTo(readers, input, id);
      for (const { id, members } of removedRegions) for (const member of members) holders.get(member)?.delete(id);
      for (const { id, members } of addedRegions) for (const member of members) addTo(holders, member, id);
    },
  };
}

/** `roots`, and what nobody needs once they are gone; never an input, a result or one of `needed`. */
function unneeded({ planner, readersOf }: Web, roots: readonly NodeId[], needed: readonly NodeId[] = []): NodeId[] {
  const gone = new Set<NodeId>(roots);
  const open = [...roots];
  while (open.length > 0) {
    for (const input of node(planner.graph, open.pop()!).inputs) {
      if (gone.has(input) || needed.includes(input) || planner.isOutput(input)) continue;
      if (isInput(node(planner.graph, input))) continue;
      if (![...readersOf(input)].every((reader) => gone.has(reader))) continue;
      gone.add(input);
      open.push(input);
    }
  }
  return [...gone];
}

/** What nobody reads any more once `gone` are gone and `after` read what they read: weights too, run-time inputs never. */
function abandoned({ planner, readersOf }: Web, gone: readonly NodeId[], after: readonly Node[]): NodeId[] {
  const changed = new Map(after.map((n) => [n.id, n]));
  const dead = new Set(gone);
  const open = [...gone, ...changed.keys()];
  const found: NodeId[] = [];
  while (open.length > 0) {
    for (const input of planner.graph.nodes.get(open.pop()!)?.inputs ?? []) {
      if (dead.has(input) || changed.has(input) || planner.isOutput(input)) continue;
      const n = node(planner.graph, input);
      if (isInput(n) && n.attrs["role"] === "input") continue;
      if (after.some(({ inputs }) => inputs.includes(input))) continue;
      if (![...readersOf(input)].every((reader) => dead.has(reader) || changed.has(reader))) continue;
      dead.add(input);
      found.push(input);
      open.push(input);
    }
  }
  return found;
}

const rereading = ({ planner, readersOf }: Web, from: NodeId, to: NodeId): Node[] =>
  [...readersOf(from)].map((id) => {
    const reader = node(planner.graph, id);
    return { ...reader, inputs: reader.inputs.map((input) => (input === from ? to : input)) };
  });

const withOrigins = ({ planner }: Web, target: Node, from: readonly NodeId[]): Node => ({
  ...target,
  origins: [...new Set([...target.origins, ...from.flatMap((id) => node(planner.graph, id).origins)])],
});

function renaming(web: Web, from: NodeId, to: NodeId): NodeChange | null {
  const { planner, readersOf, holders } = web;
  const [result, source] = [node(planner.graph, from), node(planner.graph, to)];
  const late = [...readersOf(to)].every((id) => id === from || planner.position(id) > planner.position(from));
  if (!late || planner.isOutput(to) || holders.get(to) === undefined) return null;
  const named = {
    ...source,
    id: from,
    order: result.order,
    label: result.label,
    ...(result.span ? { span: result.span } : {}),
  };
  return {
    gone: [to, ...unneeded(web, [from], [to]).filter((id) => id !== from)],
    after: [withOrigins(web, named, [from]), ...rereading(web, to, from).filter(({ id }) => id !== from)],
    renamed: [to, from],
  };
}

function becoming(web: Web, changed: Node): NodeChange {
  const { planner, readersOf } = web;
  const gone = new Set<NodeId>();
  for (const input of node(planner.graph, changed.id).inputs) {
    if (changed.inputs.includes(input) || planner.isOutput(input)) continue;
    if (isInput(node(planner.graph, input)) || readersOf(input).size > 1) continue;
    for (const id of unneeded(web, [input], changed.inputs)) gone.add(id);
  }
  return { gone: [...gone], after: [withOrigins(web, changed, [...gone])] };
}

/** What was called by its op is called by the op that it becomes. */
const relabelled = ({ graph }: Planner, change: NodeChange): NodeChange => ({
  ...change,
  after: change.after.map((n) => {
    const before = graph.nodes.get(n.id);
    return before && before.label === before.op && n.label === before.op && n.op !== before.op
      ? { ...n, label: n.op }
      : n;
  }),
});

const NOBODY: ReadonlySet<NodeId> = new Set();
function addTo<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}

type ReadersOf = (id: NodeId) => ReadonlySet<NodeId>;
type Holders = ReadonlyMap<NodeId, ReadonlySet<RegionId>>;

function patchFor(planner: Planner, change: NodeChange, readersBefore: ReadersOf, holders: Holders): Patch {
  const { graph } = planner;
  const ids = new Set<NodeId>([...change.gone, ...change.after.map(({ id }) => id)]);
  const removedNodes = [...ids].filter((id) => graph.nodes.has(id)).map((id) => node(graph, id));
  const besides = new Map(change.inserted ?? []);
  const fresh = new Map(change.after.map((n) => [n.id, n]));
  const after = (id: NodeId): Node => fresh.get(id) ?? node(graph, id);
  const readersAfter = readersOnceDone(removedNodes, change.after, readersBefore);

  const touched = new Set<RegionId>();
  const touch = (id: NodeId): void => {
    for (const region of holders.get(id) ?? []) touched.add(region);
  };
  for (const id of ids) touch(id);
  for (const n of [...removedNodes, ...change.after]) {
    for (const input of n.inputs) touch(input);
    for (const reader of readersBefore(n.id)) touch(reader);
  }
  const unlike = [...removedNodes, ...change.after].filter((n) => !isFreeView(n)).map(({ id }) => id);
  for (const id of readersThroughViews(graph, unlike, readersBefore)) touch(id);
  const removedRegions = [...touched].map((id) => planner.region(id));
  const gone = new Set(change.gone);
  const lives = (id: NodeId): boolean => !gone.has(id) && !isLiteral(after(id));
  const bodies = removedRegions.map((region) => ({ region, members: membersAfter(planner, region, change, lives) }));
  const own = (change.ownRegions ?? [])
    .filter((id) => !isLiteral(after(id)))
    .map((id): Region => {
      const beside = (change.inserted ?? []).flatMap(([each, home]) => (home === id ? [each] : []));
      return { id: regionId(`k:${id}`), members: [...beside, id], outputs: [id] };
    });
  const ownRegions = new Map(own.flatMap((region) => region.members.map((id) => [id, region.id] as const)));
  const bodyOf = new Map([
    ...bodies.map(({ region, members }) => [region.id, members] as const),
    ...own.map(({ id, members }) => [id, members] as const),
  ]);
  const inside = new Map([...bodyOf].map(([id, members]) => [id, new Set(members)]));
  const holds = (region: RegionId, id: NodeId): boolean =>
    inside.get(region)?.has(id) ?? planner.region(region).members.includes(id);
  const holdersAfter = (id: NodeId): RegionId[] => {
    const all = new Set([
      ...(holders.get(id) ?? []),
      ...(id === change.renamed?.[1] ? holders.get(change.renamed[0])! : []),
      ...(holders.get(besides.get(id) ?? id) ?? []),
      ...(ownRegions.has(id) ? [ownRegions.get(id)!] : []),
    ]);
    return [...all].filter((region) => holds(region, id));
  };
  /** Somebody reads it where it is not computed, or it is a result. */
  const leaves = (id: NodeId, region: Region): boolean => {
    if (planner.isOutput(id)) return true;
    const all = [...readersAfter(id)];
    if (all.length === 0) return region.outputs.includes(id);
    return all.some((reader) => holdersAfter(reader).some((holder) => !holds(holder, id)));
  };
  const membersOf = (id: RegionId): readonly NodeId[] => bodyOf.get(id) ?? planner.region(id).members;
  /** Only views, before and after: what is left of a kernel that stored something is none. */
  const isView = (id: RegionId): boolean =>
    (!planner.regions.has(id) || planner.isView(planner.region(id))) &&
    membersOf(id).every((member) => isFreeView(after(member)));
  const addedRegions: Region[] = [...own];
  const show = (view: NodeId): void => {
    const shown = holdersAfter(view).some(isView) || addedRegions.some(({ outputs }) => outputs.includes(view));
    if (shown) return;
    const taken = (id: RegionId): boolean => planner.regions.has(id) || addedRegions.some((added) => added.id === id);
    addedRegions.push({ id: freshRegionId(`k:${view}`, taken), members: [view], outputs: [view] });
  };
  /** A value that several kernels compute is stored by one of them: by the one that stored it before. */
  const storedBy = new Map(
    bodies.flatMap(({ region }) =>
      region.outputs.filter((id) => holds(region.id, id)).map((id) => [id, region.id] as const),
    ),
  );
  for (const { region, members } of bodies) {
    const view = isView(region.id);
    const inBody = inside.get(region.id)!;
    const stored = new Set<NodeId>();
    for (const id of members) {
      if (!leaves(id, region)) continue;
      let current = id;
      for (; !view && inBody.has(current) && isFreeView(after(current)); current = after(current).inputs[0]!)
        show(current);
      if (!inBody.has(current) || (storedBy.get(current) ?? region.id) !== region.id) continue;
      storedBy.set(current, region.id);
      stored.add(current);
    }
    const outputs = members.filter((id) => stored.has(id));
    if (outputs.length > 0) addedRegions.push({ id: region.id, members: neededBy(after, members, outputs), outputs });
  }
  return { removedNodes, addedNodes: change.after, removedRegions, addedRegions, outputs: null };
}

/** Who reads one of the stored `values` through free views: another value lies behind their operand once those are others. */
function readersThroughViews(graph: Graph, values: readonly NodeId[], readersOf: ReadersOf): ReadonlySet<NodeId> {
  const found = new Set<NodeId>();
  const open = [...values];
  while (open.length > 0) {
    for (const reader of readersOf(open.pop()!)) {
      if (found.has(reader)) continue;
      found.add(reader);
      if (isFreeView(node(graph, reader))) open.push(reader);
    }
  }
  return found;
}

function readersOnceDone(removed: readonly Node[], added: readonly Node[], before: ReadersOf): ReadersOf {
  const changed = new Map<NodeId, Set<NodeId>>();
  const own = (id: NodeId): Set<NodeId> => {
    const known = changed.get(id) ?? new Set(before(id));
    changed.set(id, known);
    return known;
  };
  for (const { id, inputs } of removed) for (const input of inputs) own(input).delete(id);
  for (const { id, inputs } of added) for (const input of inputs) own(input).add(id);
  return (id) => changed.get(id) ?? before(id);
}

function membersAfter(
  planner: Planner,
  region: Region,
  { renamed, inserted = [], after }: NodeChange,
  lives: (id: NodeId) => boolean,
): NodeId[] {
  const [from, to] = renamed ?? [null, null];
  const holdsSource = from !== null && region.members.includes(from);
  const made = new Map(after.map((n) => [n.id, n]));
  return region.members
    .filter((id) => (id === to ? holdsSource : lives(id)))
    .concat(to !== null && holdsSource && !region.members.includes(to) ? [to] : [])
    .concat(inserted.flatMap(([id, beside]) => (region.members.includes(beside) ? [id] : [])))
    .toSorted((a, b) => planner.position(a, made) - planner.position(b, made));
}
