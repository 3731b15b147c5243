/** @file Folding: a kernel, a composite, a `def` or a repeated block becomes one box. Lines inside it disappear. */
import { MAX_UNFOLDED, blocksAmong, blocksOf, opensFolded, parseEdgeId } from "../fusion";
import type { Block, Graph, GroupRef, NodeId, Step } from "../fusion";
import { foldBox, type Folds } from "../document";
import { linesBetween } from "./lines/lines-between";
import type { Gate, Scene, SceneEdge, SceneNode } from "./scene";
import { savedIn } from "./saved";
import { stackInputs, stackOutputs } from "./stack";
import { plural } from "./format";

export interface FoldRules {
  /** What was closed or opened by hand, by identity, whatever the rules below say. */
  readonly byHand: Folds;
  /** Kernels of two or more ops start folded: small canvases and crowded graphs. */
  readonly kernels: boolean;
  /** Ops that the shown step is about: what holds them opens, since the step decides inside it. */
  readonly about: readonly NodeId[];
  /** The program as written: what it repeats folds. */
  readonly source: Graph;
  /** The shown step, null for the naive plan: a call is one box unless it decides inside. Left out: calls stay open. */
  readonly step?: Step | null;
}

/** `rule`: whether it is closed where nobody has said anything. */
const isClosed = (byHand: Folds, id: string, rule: boolean): boolean =>
  (byHand.get(id) ?? (rule ? "closed" : "open")) === "closed";

interface Fold {
  readonly id: string;
  readonly title: string;
  readonly members: SceneNode[];
  readonly lid: boolean;
}

/** The scene with every fold drawn as one box where its first op stands. */
export function foldScene(whole: Scene, rules: FoldRules): Scene {
  const scene = withoutIndices(whole, rules.source);
  const ops = scene.nodes.filter(({ kind }) => kind === "op");
  const folds = foldsOf(scene, ops, rules);
  if (folds.size === 0) return scene;
  const homeOf = new Map<NodeId, NodeId>();
  for (const { id, members } of folds.values()) for (const { id: member } of members) homeOf.set(member, foldBox(id));
  const boxes = new Map([...folds.values()].map((fold) => [foldBox(fold.id), boxOf(scene, fold)]));
  const nodes: SceneNode[] = [];
  const seen = new Set<NodeId>();
  for (const node of scene.nodes) {
    const at = homeOf.get(node.id);
    if (!at) nodes.push(node);
    else if (!seen.has(at)) {
      seen.add(at);
      nodes.push(boxes.get(at)!);
    }
  }
  const folded = { ...scene, nodes, edges: linesBetween(scene.edges, homeOf) };
  return stackOutputs(stackInputs(folded, rules.byHand), rules.byHand);
}

/** Without ops that a pass added and that compute from no input: indices and masks in registers, as constants are. */
function withoutIndices(scene: Scene, source: Graph): Scene {
  const fed = new Set<NodeId>();
  for (const { id, kind } of scene.nodes) if (kind === "input") fed.add(id);
  const ways = gathered(scene.edges, ({ to }) => to);
  for (const { id } of scene.nodes) if (ways.get(id)?.some(({ from }) => fed.has(from))) fed.add(id);
  const isIndex = ({ id, kind, lives }: SceneNode): boolean =>
    kind === "op" && lives === "register" && !fed.has(id) && !source.nodes.has(id);
  const gone = new Set(scene.nodes.filter(isIndex).map(({ id }) => id));
  if (gone.size === 0) return scene;
  return {
    ...scene,
    nodes: scene.nodes.filter(({ id }) => !gone.has(id)),
    edges: scene.edges.filter(({ from, to }) => !gone.has(from) && !gone.has(to)),
  };
}

/** Makes one box of the members that are in none yet; a lid takes all of them or none. */
type Folder = (id: string, title: string, members: readonly SceneNode[], lid?: boolean) => void;

function foldsOf(scene: Scene, ops: readonly SceneNode[], rules: FoldRules): ReadonlyMap<string, Fold> {
  const { byHand } = rules;
  const found = new Map<string, Fold>();
  const taken = new Set<NodeId>();
  const fold: Folder = (id, title, members, lid = false) => {
    const free = members.filter((node) => !taken.has(node.id));
    if (free.length < 2 || (lid && free.length < members.length)) return;
    for (const { id: member } of free) taken.add(member);
    found.set(id, { id, title, members: [...free], lid });
  };
  foldBlocks(scene, ops, rules, fold);
  const iterations = new Set([...blocksOf(rules.source).values()].map(({ one }) => one));
  const groups = groupsOf(ops);
  for (const [id, { group, members }] of groups) {
    // A call without all of its arguments is one box: what it is made of comes in sight once it computes something.
    const open = members.some(({ holes }) => holes.length > 0);
    if (open && byHand.get(id) !== "open") fold(id, group.label, members);
    else if (byHand.get(id) === "closed" && group.kind !== "composite" && !iterations.has(id))
      fold(id, `${group.label} ${id}`, members);
  }
  const all = rules.kernels || ops.length > MAX_UNFOLDED;
  const about = new Set(ops.length > MAX_UNFOLDED ? [] : rules.about);
  const byKernel = new Map<string, SceneNode[]>();
  for (const node of ops) {
    if (!node.kernel) continue;
    const known = byKernel.get(node.kernel.region);
    if (known) known.push(node);
    else byKernel.set(node.kernel.region, [node]);
  }
  for (const kernel of scene.kernels) {
    const members = byKernel.get(kernel.region) ?? [];
    const decided = members.some(({ id }) => about.has(id));
    if (!isClosed(byHand, kernel.region, all && !decided)) continue;
    fold(kernel.region, kernel.title === "" ? kernel.name : `${kernel.name} ${kernel.title}`, members);
  }
  foldCalls(scene, groups, rules, fold);
  return found;
}

/** Calls as they were written, outermost first: each stands as one box until the shown step decides inside it, or kernels cut through it. */
function foldCalls(scene: Scene, groups: Groups, { source, step, byHand }: FoldRules, fold: Folder): void {
  const written = new Set([...source.nodes.values()].flatMap((node) => node.groups.map(({ id }) => id)));
  const kernels = new Map(scene.kernels.map((kernel) => [kernel.region, new Set(kernel.members)] as const));
  for (const [id, { group, members }] of groups) {
    if (group.kind !== "composite" || !written.has(id)) continue;
    const whole = step !== undefined && !isCut(members, kernels) && !(step && decidesInside(step, members));
    if (isClosed(byHand, id, whole) && standsApart(scene.edges, members)) fold(id, group.label, members, true);
  }
}

/** A kernel of several ops computes some of the members and leaves others to another. */
function isCut(members: readonly SceneNode[], kernels: ReadonlyMap<string, ReadonlySet<NodeId>>): boolean {
  const computed = members.flatMap(({ id, kernel }) => (kernel ? [{ id, all: kernels.get(kernel.region)! }] : []));
  return computed.some(({ all }) => all.size > 1 && computed.some(({ id }) => !all.has(id)));
}

/** One of its edges has both ends among the members; a rewrite, which has no edges, is about one of them. */
function decidesInside({ edge, edges, nodes }: Step, members: readonly SceneNode[]): boolean {
  const ids = new Set(members.map(({ id }) => id));
  const decided = [...edges, ...(edge ? [edge] : [])];
  if (decided.length === 0) return nodes.some((id) => ids.has(id));
  return decided.map(parseEdgeId).some((ends) => ends && ids.has(ends.producer) && ids.has(ends.consumer));
}

/**
 * All blocks of a kind in one box, or each in its own; an opened series of large blocks shows a box for each at first. Where the shown
 * step decides inside a large series, the blocks that it is about open between a box of those before and one of those after.
 */
function foldBlocks(scene: Scene, ops: readonly SceneNode[], rules: FoldRules, fold: Folder): void {
  const blocks = blocksAmong(
    rules.source,
    ops.map(({ id }) => id),
    scene.edges,
  );
  const about = new Set(rules.about);
  for (const [all, series] of gathered(ops, (op) => blocks.get(op.id)?.all)) {
    const { label, count }: Block = blocks.get(series[0]!.id)!;
    const large = opensFolded(series.length, count, ops.length);
    const single = [...gathered(series, (op) => blocks.get(op.id)?.one).values()];
    const around = large && !rules.byHand.has(all) ? aroundDeciding(single, about) : null;
    if (around?.every(({ members }) => standsApart(scene.edges, members))) {
      for (const { from, to, members } of around) {
        const which = from === to ? `${label} ${from} of ${count}` : `${label} ${from} to ${to} of ${count}`;
        const id = `${all} ${from}-${to}`;
        if (isClosed(rules.byHand, id, true)) fold(id, which, members);
      }
      continue;
    }
    if (isClosed(rules.byHand, all, large) && standsApart(scene.edges, series)) {
      fold(all, `${label} × ${count}`, series);
      continue;
    }
    for (const [one, members] of gathered(series, (op) => blocks.get(op.id)?.one)) {
      const { number } = blocks.get(members[0]!.id)!;
      if (isClosed(rules.byHand, one, large) && standsApart(scene.edges, members))
        fold(one, `${label} ${number} of ${count}`, members);
    }
  }
}

/** Blocks in a row that stand in one box, counted from 1. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly members: readonly SceneNode[];
}

/** The stretches of blocks beside those that the step decides in; null where it decides in none. */
function aroundDeciding(blocks: readonly (readonly SceneNode[])[], about: ReadonlySet<NodeId>): Stretch[] | null {
  const stretches: Stretch[] = [];
  let from = 0;
  const close = (to: number): void => {
    if (to > from) stretches.push({ from: from + 1, to, members: blocks.slice(from, to).flat() });
    from = to + 1;
  };
  for (const [i, members] of blocks.entries()) if (members.some(({ id }) => about.has(id))) close(i);
  if (from === 0) return null;
  close(blocks.length);
  return stretches;
}

function gathered<T>(ops: readonly T[], key: (op: T) => string | undefined): ReadonlyMap<string, T[]> {
  const found = new Map<string, T[]>();
  for (const op of ops) {
    const at = key(op);
    if (at === undefined) continue;
    const known = found.get(at);
    if (known) known.push(op);
    else found.set(at, [op]);
  }
  return found;
}

type Groups = ReadonlyMap<string, { readonly group: GroupRef; readonly members: readonly SceneNode[] }>;

function groupsOf(ops: readonly SceneNode[]): Groups {
  const found = new Map<string, { group: GroupRef; members: SceneNode[] }>();
  for (const node of ops) {
    for (const group of node.groups) {
      const known = found.get(group.id) ?? { group, members: [] };
      known.members.push(node);
      found.set(group.id, known);
    }
  }
  return found;
}

/** Nothing outside both reads from the members and feeds them: one box then makes no loop. */
function standsApart(edges: readonly SceneEdge[], members: readonly SceneNode[]): boolean {
  const inside = new Set(members.map(({ id }) => id));
  const readers = new Set(edges.filter(({ from, to }) => inside.has(from) && !inside.has(to)).map(({ to }) => to));
  return !edges.some(({ from, to }) => inside.has(to) && readers.has(from));
}

/** One operand for each argument that is missing, however many ops inside would read it. */
function gatesOf(members: readonly SceneNode[]): Gate[] {
  const gates = new Map<NodeId, Gate>();
  for (const { id, holes, missing = [] } of members) {
    holes.forEach((operand, i) => {
      const value = missing[i] ?? id;
      if (!gates.has(value)) gates.set(value, { node: id, operand });
    });
  }
  return [...gates.values()];
}

function boxOf(scene: Scene, { id, title, members, lid }: Fold): SceneNode {
  const homes = new Set(members.map(({ kernel }) => kernel?.region));
  const home = homes.size === 1 ? members[0]!.kernel : null;
  const kernel = home && scene.kernels.find(({ region }) => region === home.region);
  const last = members.at(-1)!;
  const gates = gatesOf(members);
  const titles = members.map((member) => member.title);
  return {
    ...last,
    id: foldBox(id),
    kind: "folded",
    glyph: "folded",
    title,
    formula: gates.length > 0 ? missingIn(gates) : homes.size > 1 || lid ? kernelsIn(scene, members) : listed(titles),
    // A call is its result; a kernel is what it moves.
    ...(!lid && {
      bytes: kernel?.bytes ?? last.bytes,
      lives: gates.length > 0 ? "nowhere" : kernel?.bytes == null ? "register" : "memory",
    }),
    kernel: home,
    alone: false,
    holes: gates.map((_, i) => i),
    gates,
    operands: gates.length,
    label: `${title}, folded, ${plural(members.length, "op")}: ${titles.join(", ")}`,
    inside: members.map((member) => member.id),
    saved: savedIn(members),
    late: members.every(({ late }) => late === true),
    ...(lid && { lid: true, parts: titles }),
  };
}

const missingIn = ({ length }: readonly Gate[]): string =>
  length === 1 ? "not connected" : `${length} inputs missing`;

const listed = (titles: readonly string[]): string =>
  titles.join(" · ").length <= 30
    ? titles.join(" · ")
    : `${plural(titles.length, "op")}, ${titles[0]!} … ${titles.at(-1)!}`;

/** `336 ops, 84 kernels`: the second number falls as one steps; without a plan there is none. */
function kernelsIn({ kernels }: Scene, members: readonly SceneNode[]): string {
  const homes = new Set(members.map(({ kernel }) => kernel?.region));
  const count = kernels.reduce((sum, kernel) => sum + (homes.has(kernel.region) ? kernel.count : 0), 0);
  return plural(members.length, "op") + (count > 0 ? `, ${plural(count, "kernel")}` : "");
}
