/** @file Where the boxes stand: the layout, closed up where folding left holes, then what a person moved. */
import { nodeId, ownEntry } from "../fusion";
import type { NodeId } from "../fusion";
import { boxSizes, foldOf, isDocked, pillTarget } from "../document";
import type { Position } from "../document";
import { BoxIndex, around, rectOf } from "./lines/geometry";
import type { Box, Rect } from "./lines/geometry";
import { textWidth } from "./format";
import { meets, SMALL } from "./zoom";
import type { Scene, SceneNode } from "./scene";
import { closeUp } from "./close-up";
import { inputsOfFolds } from "./stack";

export interface Places {
  readonly layout: ReadonlyMap<NodeId, Box>;
  /** With every series of blocks in one box, as a large graph opens; null where nothing starts folded. */
  readonly folded?: ReadonlyMap<NodeId, Box> | null;
  readonly moved: Readonly<Record<string, Position>>;
  /** What is on its way: nothing makes room for it before it is dropped. */
  readonly dragged?: Readonly<Record<string, Position>>;
  /** Closed up even before anything is folded, so that the first fold of a step does not move the rest. */
  readonly closed?: boolean;
}

/** A box for every node of the scene. A node that the layout does not know yet stands beside its neighbours. */
export function boxesOf(
  scene: Scene,
  { layout: whole, folded = null, moved: dropped, dragged = {}, closed = false }: Places,
): ReadonlyMap<NodeId, Box> {
  const layout = folded && isFoldedLike(scene, folded) ? folded : whole;
  const boxes = new Map<NodeId, Box>();
  let foldedAny = closed;
  for (const node of scene.nodes) {
    const box = node.lid
      ? lidBox(node, scene, layout)
      : node.kind === "folded"
        ? foldedBox(node, layout)
        : layout.get(node.inside.length > 0 ? node.inside[0]! : node.id);
    foldedAny ||= node.kind === "folded" && !node.lid;
    if (box) boxes.set(node.id, box);
  }
  if (foldedAny) closeUp(boxes, dockToFolds(scene, boxes), scene.edges, backwardOf(scene, boxes));
  const moved = { ...dropped, ...dragged };
  const companions = companionsOf(scene, boxes);
  const lids = new Set(scene.nodes.flatMap(({ id, lid }) => (lid ? [id] : [])));
  for (const [id, at] of Object.entries(moved)) {
    const box = boxes.get(nodeId(id));
    if (!box) continue;
    const lid = lids.has(nodeId(id));
    boxes.set(nodeId(id), { ...box, x: at.x, y: at.y, ...(lid ? boxSizes.folded : {}) });
    for (const companion of companions.get(nodeId(id)) ?? []) {
      if (ownEntry(moved, companion)) continue;
      const beside = boxes.get(companion)!;
      // A call that was moved is not as high as its ops were.
      if (lid && pillTarget(companion)) boxes.delete(companion);
      else boxes.set(companion, { ...beside, x: beside.x + at.x - box.x, y: beside.y + at.y - box.y });
    }
  }
  for (const id of looseUnder(scene, boxes, dropped)) boxes.delete(id);
  const homeless = scene.nodes.filter(({ id }) => !boxes.has(id));
  if (homeless.length > 0) placeMissing(scene, homeless, boxes, moved);
  openMovedCalls(scene, boxes, moved);
  widenDocked(scene, boxes);
  return boxes;
}

/** px of a docked pill that its mark, its gaps and its round ends take; as wide as one becomes; what stays free beside it. */
export const AROUND_NAME = 45;
const WIDEST = 220;
const FREE = 8;

/** A docked input whose name is longer than its pill, at the smallest zoom that shows names, takes the room that is free beside it. */
function widenDocked({ nodes }: Scene, boxes: Map<NodeId, Box>): void {
  for (const { id, kind, title } of nodes) {
    const box = boxes.get(id);
    const wanted = Math.min(WIDEST, 4 * Math.ceil((textWidth(title, 13, true) / SMALL + AROUND_NAME) / 4));
    if (kind !== "input" || !box || !isDocked(box) || wanted <= box.width) continue;
    const more: Rect = { x0: box.x + box.width, x1: box.x + wanted + FREE, y0: box.y, y1: box.y + box.height };
    const isFree = [...boxes].every(([other, each]) => other === id || !meets(rectOf(each), more));
    if (isFree) boxes.set(id, { ...box, width: wanted });
  }
}

/** What nothing is connected to yet and the layout sets where a box was put by hand, with its output pill. */
function looseUnder(
  { nodes, edges }: Scene,
  boxes: ReadonlyMap<NodeId, Box>,
  moved: Places["moved"],
): readonly NodeId[] {
  const joined = new Set(edges.flatMap(({ from, to }) => (pillTarget(to) ? [] : [from, to])));
  const isPlaced = (id: NodeId): boolean => ownEntry(moved, pillTarget(id) ?? id) !== undefined;
  const taken = new BoxIndex([...boxes].flatMap(([id, box]) => (isPlaced(id) ? [[id, rectOf(box, 8)] as const] : [])));
  const isLoose = (id: NodeId): boolean => !joined.has(id) && !isPlaced(id);
  const covering = new Set(
    nodes.flatMap(({ id }) => {
      const box = boxes.get(id);
      return box && isLoose(pillTarget(id) ?? id) && !taken.isFree(rectOf(box)) ? [pillTarget(id) ?? id] : [];
    }),
  );
  return nodes.flatMap(({ id }) => (covering.has(pillTarget(id) ?? id) ? [id] : []));
}

/** The backward pass with the inputs that only it reads, where the layout sets it to the right of the forward pass. */
function backwardOf({ nodes, edges }: Scene, boxes: ReadonlyMap<NodeId, Box>): ReadonlySet<NodeId> {
  const late = new Set(nodes.flatMap(({ id, late: is }) => (is ? [id] : [])));
  const work = nodes.filter(({ kind }) => kind !== "input");
  const end = Math.max(...work.flatMap(({ id }) => (late.has(id) ? [] : (boxes.get(id)?.x ?? []))));
  const start = Math.min(...work.flatMap(({ id }) => (late.has(id) ? (boxes.get(id)?.x ?? []) : [])));
  if (late.size === 0 || start <= end) return new Set();
  const early = new Set(edges.flatMap(({ from, to }) => (late.has(to) ? [] : [from])));
  for (const { id, kind } of nodes) if (kind === "input" && !early.has(id)) late.add(id);
  return late;
}

/** Every fold of the layout is one of the scene. */
function isFoldedLike(scene: Scene, folded: ReadonlyMap<NodeId, Box>): boolean {
  const there = new Set(scene.nodes.map(({ id }) => id));
  return [...folded.keys()].every((id) => foldOf(id) === null || there.has(id));
}

/** Its own place, else that of the topmost op of the leftmost column. */
function foldedBox(node: SceneNode, layout: ReadonlyMap<NodeId, Box>): Box | undefined {
  const own = layout.get(node.id);
  if (own) return own;
  const first = node.inside
    .map((id) => layout.get(id))
    .filter((box) => box !== undefined)
    .sort((a, b) => a.x - b.x || a.y - b.y)[0];
  return first && { x: first.x - (boxSizes.folded.width - first.width) / 2, y: first.y, ...boxSizes.folded };
}

/** Over its own ops in the leftmost column where several stand with no other box between: there the large tensors go down. */
function lidBox(node: SceneNode, scene: Scene, layout: ReadonlyMap<NodeId, Box>): Box | undefined {
  const of = (ids: readonly NodeId[]): Box[] => ids.flatMap((id) => layout.get(id) ?? []);
  const own = of(node.inside).sort((a, b) => a.y - b.y);
  const others = of(scene.nodes.flatMap(({ id, inside }) => (id === node.id ? [] : inside.length > 0 ? inside : [id])));
  const meets = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width;
  const runs = own.map((first) => {
    const below = others.flatMap((box) => (meets(first, box) && box.y > first.y ? [box.y] : []));
    const end = Math.min(Infinity, ...below);
    const run = own.filter((box) => box.x === first.x && box.y >= first.y && box.y < end);
    const last = run.at(-1)!;
    return { ops: run.length, box: { ...first, height: last.y + last.height - first.y } };
  });
  const several = runs.filter(({ ops }) => ops > 1);
  const columns = several.length > 0 ? several : runs;
  return columns.sort((a, b) => a.box.x - b.box.x || b.ops - a.ops)[0]?.box;
}

/** What goes along when an op is moved: its docked inputs and its output pill, where they have a place and were not moved themselves. */
function companionsOf(scene: Scene, boxes: ReadonlyMap<NodeId, Box>): ReadonlyMap<NodeId, readonly NodeId[]> {
  const companions = new Map<NodeId, NodeId[]>();
  for (const { from, to } of scene.edges) {
    const [owner, companion] = pillTarget(to) ? [from, to] : [to, from];
    const beside = boxes.get(companion);
    if (beside && (pillTarget(to) || isDocked(beside)))
      companions.set(owner, [...(companions.get(owner) ?? []), companion]);
  }
  return companions;
}

const DOCK_DISTANCE = 28;
const DOCK_GAP = 6;

/** Inputs that only a folded box reads stand in a stack to its right; their one pill does too. Answers who stands beside whom. */
function dockToFolds(scene: Scene, boxes: Map<NodeId, Box>): ReadonlyMap<NodeId, readonly NodeId[]> {
  const { width, height } = boxSizes.docked;
  const docked = new Map<NodeId, readonly NodeId[]>();
  for (const [fold, inputs] of inputsOfFolds(scene)) {
    const box = boxes.get(fold);
    // A fold that the layout does not know yet has no place to dock at.
    if (!box) continue;
    const top = box.y + box.height / 2 - (inputs.length * (height + DOCK_GAP) - DOCK_GAP) / 2;
    inputs.forEach(({ id }, i) => {
      boxes.set(id, { x: box.x + box.width + DOCK_DISTANCE, y: top + i * (height + DOCK_GAP), width, height });
    });
    docked.set(
      fold,
      inputs.map(({ id }) => id),
    );
  }
  return docked;
}

/** Under what it reads, above what reads it, else to the right of everything; never on another box. */
function placeMissing(
  scene: Scene,
  missing: readonly SceneNode[],
  boxes: Map<NodeId, Box>,
  moved: Readonly<Record<string, Position>>,
): void {
  const taken = new BoxIndex([...boxes].map(([id, box]) => [id, rectOf(box, 8)] as const));
  for (const node of missing) {
    const size = boxSizes[node.kind];
    const at = ownEntry(moved, node.id) ?? wishedPlace(scene, node, boxes, size);
    let box: Box = { x: at.x, y: at.y, ...size };
    while (!ownEntry(moved, node.id) && !taken.isFree(rectOf(box))) box = { ...box, y: box.y + 20 };
    boxes.set(node.id, box);
    taken.add(node.id, rectOf(box, 8));
  }
}

function wishedPlace(
  scene: Scene,
  node: SceneNode,
  boxes: ReadonlyMap<NodeId, Box>,
  { width, height }: Pick<Box, "width" | "height">,
): Position {
  const middle = (box: Box): number => box.x + (box.width - width) / 2;
  const reads = scene.edges.filter(({ to }) => to === node.id).map(({ from }) => boxes.get(from));
  const above = reads.filter((box) => box !== undefined).sort((a, b) => b.y - a.y)[0];
  if (above) return { x: middle(above), y: above.y + above.height + 32 };
  const below = scene.edges.filter(({ from }) => from === node.id).map(({ to }) => boxes.get(to))[0];
  if (below) return { x: middle(below), y: below.y - height - 32 };
  const right = Math.max(-60, ...[...boxes.values()].map((box) => box.x + box.width));
  return { x: right + 60, y: 0 };
}

/** Ops of calls that were moved while they were closed stand where the call was put; what is below or to the right of it makes way. */
function openMovedCalls(scene: Scene, boxes: Map<NodeId, Box>, moved: Places["moved"]): void {
  for (const [id, at] of Object.entries(moved)) {
    const call = foldOf(id);
    const ops = call === null ? [] : opsOf(scene, call).filter((op) => boxes.has(op) && !ownEntry(moved, op));
    if (ops.length === 0) continue;
    const pills = scene.nodes.flatMap((node) => (ops.includes(pillTarget(node.id) ?? node.id) ? [node.id] : []));
    const whole = around(pills.map((op) => rectOf(boxes.get(op)!)));
    const closed = { x: at.x, y: at.y, ...boxSizes.folded };
    const [right, down] = [whole.x1 - whole.x0 - closed.width, whole.y1 - whole.y0 - closed.height];
    const own = new Set(pills);
    for (const [each, box] of boxes) {
      if (own.has(each)) boxes.set(each, { ...box, x: box.x + at.x - whole.x0, y: box.y + at.y - whole.y0 });
      else if (box.y >= closed.y + closed.height) boxes.set(each, { ...box, y: box.y + Math.max(0, down) });
      else if (box.x >= closed.x + closed.width) boxes.set(each, { ...box, x: box.x + Math.max(0, right) });
    }
  }
}

const opsOf = ({ nodes }: Scene, call: string): NodeId[] =>
  nodes.flatMap(({ id, kind, groups }) => (kind === "op" && groups.some((group) => group.id === call) ? [id] : []));
