/** @file Folding: a kernel, a composite, a `def` or a repeated block becomes one box. Lines inside it disappear. */
import { edgeId, nodeId } from "../../../fusion";
import type { GroupRef, NodeId } from "../../../fusion";
import type { Scene, SceneEdge, SceneNode } from "./scene";
import { plural } from "./words";

export interface FoldRules {
  /** Identities that were folded or unfolded by hand: each flips what the rules below say. */
  readonly flipped: ReadonlySet<string>;
  /** Kernels of two or more ops start folded: small canvases and crowded graphs. */
  readonly kernels: boolean;
}

/** Above this many ops everything starts folded. */
export const MOST_UNFOLDED = 300;
/** Turns of a loop or calls of a `def` start folded when there are several and they do not fit a screen. */
const MANY_REPEATS = 3;
const MORE_THAN_A_SCREEN = 24;

/** The box that stands for a fold, and back. */
export const foldBox = (id: string): NodeId => nodeId(`[${id}]`);
export const foldOf = (id: string): string | null => (id.startsWith("[") && id.endsWith("]") ? id.slice(1, -1) : null);

interface Fold {
  readonly id: string;
  readonly title: string;
  readonly members: SceneNode[];
}

const repeatId = (label: string): string => `×${label}`;

/** The scene with every fold drawn as one box at the place of its first op. */
export function foldScene(scene: Scene, rules: FoldRules): Scene {
  const ops = scene.nodes.filter(({ kind }) => kind === "op");
  const folds = foldsOf(scene, ops, rules.kernels || ops.length > MOST_UNFOLDED, rules.flipped);
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
  return { nodes, edges: folded(scene.edges, place), kernels: scene.kernels };
}

function foldsOf(
  scene: Scene,
  ops: readonly SceneNode[],
  all: boolean,
  flipped: ReadonlySet<string>,
): ReadonlyMap<string, Fold> {
  const found = new Map<string, Fold>();
  const taken = new Set<NodeId>();
  const fold = (id: string, title: string, members: readonly SceneNode[]): void => {
    const free = members.filter((node) => !taken.has(node.id));
    if (free.length < 2) return;
    for (const { id: member } of free) taken.add(member);
    found.set(id, { id, title, members: [...free] });
  };
  for (const [label, { ids, members }] of repeatsOf(ops)) {
    const id = repeatId(label);
    const many = ids.size >= MANY_REPEATS && members.length > MORE_THAN_A_SCREEN;
    const folds = many !== flipped.has(id);
    if (folds && standsApart(scene.edges, members)) fold(id, `${label} × ${ids.size}`, members);
  }
  for (const [id, { group, members }] of groupsOf(ops)) if (flipped.has(id)) fold(id, `${group.label} ${id}`, members);
  const byKernel = new Map<string, SceneNode[]>();
  for (const node of ops) {
    if (!node.kernel) continue;
    const known = byKernel.get(node.kernel.region);
    if (known) known.push(node);
    else byKernel.set(node.kernel.region, [node]);
  }
  for (const kernel of scene.kernels) {
    if (all === flipped.has(kernel.region)) continue;
    const members = byKernel.get(kernel.region) ?? [];
    fold(kernel.region, kernel.title === "" ? kernel.name : `${kernel.name} ${kernel.title}`, members);
  }
  return found;
}

/** Defs and loop turns that occur at least twice, by what is written on them. */
function repeatsOf(ops: readonly SceneNode[]): Map<string, { ids: Set<string>; members: SceneNode[] }> {
  const found = new Map<string, { ids: Set<string>; members: SceneNode[] }>();
  for (const node of ops) {
    const outer = node.groups.find(({ kind }) => kind !== "composite");
    if (!outer) continue;
    const label = outer.label.replace(/ = \d+$/, "");
    const known = found.get(label) ?? { ids: new Set(), members: [] };
    known.ids.add(outer.id);
    known.members.push(node);
    found.set(label, known);
  }
  for (const [label, { ids }] of found) if (ids.size < 2) found.delete(label);
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

function boxOf(scene: Scene, { id, title, members }: Fold): SceneNode {
  const homes = new Set(members.map(({ kernel }) => kernel?.region));
  const home = homes.size === 1 ? members[0]!.kernel : null;
  const kernel = home && scene.kernels.find(({ region }) => region === home.region);
  const last = members.at(-1)!;
  const titles = members.map((member) => member.title);
  const formula =
    titles.join(" · ").length <= 30
      ? titles.join(" · ")
      : `${plural(titles.length, "op")}, ${titles[0]!} … ${titles.at(-1)!}`;
  return {
    ...last,
    id: foldBox(id),
    kind: "folded",
    glyph: "folded",
    title,
    formula,
    bytes: kernel?.bytes ?? last.bytes,
    lives: kernel?.bytes == null ? "register" : "memory",
    kernel: home,
    alone: false,
    holes: [],
    label: `${title}, folded, ${plural(members.length, "op")}: ${titles.join(", ")}`,
    inside: members.map((member) => member.id),
  };
}

/** Lines between boxes. One line for each value and reader: two values into one box stay two lines. */
function folded(edges: readonly SceneEdge[], place: ReadonlyMap<NodeId, NodeId>): SceneEdge[] {
  const lines = new Map<string, SceneEdge>();
  for (const edge of edges) {
    const from = place.get(edge.from) ?? edge.from;
    const to = place.get(edge.to) ?? edge.to;
    if (from === to) continue;
    const key = `${edge.from}>${to}`;
    const known = lines.get(key);
    if (known) lines.set(key, together(known, edge));
    else if (from === edge.from && to === edge.to) lines.set(key, edge);
    else lines.set(key, { ...edge, id: edgeId(edge.from, to, edge.operand), from, to });
  }
  return [...lines.values()];
}

/** Two lines that fall on one: the pipe shows when either is one. */
function together(known: SceneEdge, edge: SceneEdge): SceneEdge {
  const also = [...known.also, ...edge.also];
  if (known.kind === "memory" || edge.kind !== "memory") return { ...known, also };
  return { ...known, also, kind: "memory", width: edge.width, tone: null };
}
