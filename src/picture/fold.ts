/** @file Folding: a kernel, a composite, a `def` or a repeated block becomes one box. Lines inside it disappear. */
import { MOST_UNFOLDED, blocksAmong, blocksOf, opensFolded } from "../fusion";
import type { Block, Graph, GroupRef, NodeId } from "../fusion";
import { foldBox, type Folds } from "../document";
import { linesBetween } from "./lines-between";
import type { Gate, Scene, SceneEdge, SceneNode } from "./scene";
import { savedIn } from "./saved";
import { stackInputs } from "./stack";
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
}

/** `rule`: whether it is closed where nobody has said anything. */
const isClosed = (byHand: Folds, id: string, rule: boolean): boolean =>
  (byHand.get(id) ?? (rule ? "closed" : "open")) === "closed";

interface Fold {
  readonly id: string;
  readonly title: string;
  readonly members: SceneNode[];
}

/** The scene with every fold drawn as one box at the place of its first op. */
export function foldScene(scene: Scene, rules: FoldRules): Scene {
  const ops = scene.nodes.filter(({ kind }) => kind === "op");
  const folds = foldsOf(scene, ops, rules);
  if (folds.size === 0) return scene;
  const place = new Map<NodeId, NodeId>();
  for (const { id, members } of folds.values()) for (const { id: member } of members) place.set(member, foldBox(id));
  const boxes = new Map([...folds.values()].map((fold) => [foldBox(fold.id), boxOf(scene, fold)]));
  const nodes: SceneNode[] = [];
  const seen = new Set<NodeId>();
  for (const node of scene.nodes) {
    const at = place.get(node.id);
    if (!at) nodes.push(node);
    else if (!seen.has(at)) {
      seen.add(at);
      nodes.push(boxes.get(at)!);
    }
  }
  return stackInputs({ nodes, edges: linesBetween(scene.edges, place), kernels: scene.kernels }, rules.byHand);
}

function foldsOf(scene: Scene, ops: readonly SceneNode[], rules: FoldRules): ReadonlyMap<string, Fold> {
  const { byHand } = rules;
  const found = new Map<string, Fold>();
  const taken = new Set<NodeId>();
  const fold = (id: string, title: string, members: readonly SceneNode[]): void => {
    const free = members.filter((node) => !taken.has(node.id));
    if (free.length < 2) return;
    for (const { id: member } of free) taken.add(member);
    found.set(id, { id, title, members: [...free] });
  };
  foldBlocks(scene, ops, rules, fold);
  const iterations = new Set([...blocksOf(rules.source).values()].map(({ one }) => one));
  for (const [id, { group, members }] of groupsOf(ops)) {
    // A call without all of its arguments is one box: what it is made of comes in sight once it computes something.
    const open = members.some(({ holes }) => holes.length > 0);
    if (open && byHand.get(id) !== "open") fold(id, group.label, members);
    else if (byHand.get(id) === "closed" && !iterations.has(id)) fold(id, `${group.label} ${id}`, members);
  }
  const all = rules.kernels || ops.length > MOST_UNFOLDED;
  const about = new Set(ops.length > MOST_UNFOLDED ? [] : rules.about);
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
  return found;
}

/** All blocks of a kind in one box, or each in its own; an opened series of large blocks shows a box for each at first. */
function foldBlocks(
  scene: Scene,
  ops: readonly SceneNode[],
  rules: FoldRules,
  fold: (id: string, title: string, members: readonly SceneNode[]) => void,
): void {
  const blocks = blocksAmong(
    rules.source,
    ops.map(({ id }) => id),
    scene.edges,
  );
  for (const [all, series] of gathered(ops, (op) => blocks.get(op.id)?.all)) {
    const { label, count }: Block = blocks.get(series[0]!.id)!;
    const large = opensFolded(series.length, count, ops.length);
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

function gathered(
  ops: readonly SceneNode[],
  key: (op: SceneNode) => string | undefined,
): ReadonlyMap<string, SceneNode[]> {
  const found = new Map<string, SceneNode[]>();
  for (const op of ops) {
    const at = key(op);
    if (at === undefined) continue;
    const known = found.get(at);
    if (known) known.push(op);
    else found.set(at, [op]);
  }
  return found;
}

function groupsOf(ops: readonly SceneNode[]): Map<string, { group: GroupRef; members: SceneNode[] }> {
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

function boxOf(scene: Scene, { id, title, members }: Fold): SceneNode {
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
    formula: gates.length > 0 ? missingIn(gates) : homes.size > 1 ? kernelsIn(members, homes) : listed(titles),
    bytes: kernel?.bytes ?? last.bytes,
    lives: gates.length > 0 ? "nowhere" : kernel?.bytes == null ? "register" : "memory",
    kernel: home,
    alone: false,
    holes: gates.map((_, i) => i),
    gates,
    operands: gates.length,
    label: `${title}, folded, ${plural(members.length, "op")}: ${titles.join(", ")}`,
    inside: members.map((member) => member.id),
    saved: savedIn(members),
    late: members.every(({ late }) => late === true),
  };
}

const missingIn = ({ length }: readonly Gate[]): string =>
  length === 1 ? "not connected" : `${length} inputs missing`;

const listed = (titles: readonly string[]): string =>
  titles.join(" · ").length <= 30
    ? titles.join(" · ")
    : `${plural(titles.length, "op")}, ${titles[0]!} … ${titles.at(-1)!}`;

/** `336 ops, 84 kernels`: the second number falls as one steps. */
const kernelsIn = (members: readonly SceneNode[], homes: ReadonlySet<unknown>): string =>
  `${plural(members.length, "op")}, ${plural(homes.size - (homes.has(undefined) ? 1 : 0), "kernel")}`;
