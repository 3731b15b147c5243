/** @file Where the boxes stand: the layout, then what a person moved, then closed gaps where folding left holes. */
import { nodeId } from "../../../fusion";
import type { NodeId } from "../../../fusion";
import { boxSizes, pillTarget } from "../../../document";
import type { Position } from "../../../document";
import { BoxIndex, rectOf } from "./geometry";
import type { Box } from "./geometry";
import type { Scene, SceneNode } from "./scene";

export const FOLDED = { width: 228, height: 64 } as const;
const WIDEST_GAP = 46;

export interface Places {
  readonly layout: ReadonlyMap<NodeId, Box>;
  readonly moved: Readonly<Record<string, Position>>;
}

/** A box for every node of the scene. A node that the layout does not know yet stands beside its neighbours. */
export function boxesOf(scene: Scene, { layout, moved }: Places): ReadonlyMap<NodeId, Box> {
  const boxes = new Map<NodeId, Box>();
  const missing: SceneNode[] = [];
  let foldedAny = false;
  for (const node of scene.nodes) {
    const box = node.kind === "folded" ? foldedBox(node, layout) : layout.get(node.id);
    foldedAny ||= node.kind === "folded";
    if (box) boxes.set(node.id, box);
    else missing.push(node);
  }
  if (foldedAny) {
    dockToFolds(scene, boxes);
    closeGaps(boxes);
  }
  const companions = companionsOf(scene, boxes);
  for (const [id, at] of Object.entries(moved)) {
    const box = boxes.get(nodeId(id));
    if (!box) continue;
    boxes.set(nodeId(id), { ...box, x: at.x, y: at.y });
    for (const companion of companions.get(nodeId(id)) ?? []) {
      const beside = boxes.get(companion)!;
      const [x, y] = [beside.x + at.x - box.x, beside.y + at.y - box.y];
      if (!moved[companion]) boxes.set(companion, { ...beside, x, y });
    }
  }
  if (missing.length > 0) placeMissing(scene, missing, boxes, moved);
  return boxes;
}

/** At the topmost op of the leftmost column: a place that belongs to the fold. */
function foldedBox(node: SceneNode, layout: ReadonlyMap<NodeId, Box>): Box | undefined {
  const first = node.inside
    .map((id) => layout.get(id))
    .filter((box) => box !== undefined)
    .sort((a, b) => a.x - b.x || a.y - b.y)[0];
  return first && { x: first.x - (FOLDED.width - first.width) / 2, y: first.y, ...FOLDED };
}

/** What goes along when an op is moved: its docked inputs and its output pill, unless they were moved themselves. */
function companionsOf(scene: Scene, boxes: ReadonlyMap<NodeId, Box>): ReadonlyMap<NodeId, readonly NodeId[]> {
  const companions = new Map<NodeId, NodeId[]>();
  for (const { from, to } of scene.edges) {
    const docked = boxes.get(from)?.width === boxSizes.docked.width;
    const [owner, companion] = pillTarget(to) ? [from, to] : [to, from];
    if (docked || pillTarget(to)) companions.set(owner, [...(companions.get(owner) ?? []), companion]);
  }
  return companions;
}

const DOCK_DISTANCE = 28;
const DOCK_GAP = 6;

/** Inputs that only a folded box reads stand in a stack to its right. */
function dockToFolds(scene: Scene, boxes: Map<NodeId, Box>): void {
  // A fold that the layout does not know yet has no place to dock at.
  const folds = new Set(scene.nodes.filter(({ id, kind }) => kind === "folded" && boxes.has(id)).map(({ id }) => id));
  const readers = new Map<NodeId, Set<NodeId>>();
  for (const { from, to } of scene.edges) readers.set(from, (readers.get(from) ?? new Set()).add(to));
  const stacks = new Map<NodeId, NodeId[]>();
  for (const { id, kind } of scene.nodes) {
    const [reader, ...others] = readers.get(id) ?? [];
    if (kind !== "input" || !reader || others.length > 0 || !folds.has(reader)) continue;
    if (boxes.get(id)?.width !== boxSizes.docked.width) continue;
    stacks.set(reader, [...(stacks.get(reader) ?? []), id]);
  }
  for (const [fold, inputs] of stacks) {
    const box = boxes.get(fold)!;
    const { width, height } = boxSizes.docked;
    const top = box.y + box.height / 2 - (inputs.length * (height + DOCK_GAP) - DOCK_GAP) / 2;
    inputs.forEach((id, i) => {
      boxes.set(id, { x: box.x + box.width + DOCK_DISTANCE, y: top + i * (height + DOCK_GAP), width, height });
    });
  }
}

/** Moves everything up where no box stands in a band taller than the usual gap. Order and columns stay. */
function closeGaps(boxes: Map<NodeId, Box>): void {
  const spans = [...boxes.values()].map(({ y, height }) => [y, y + height] as const).sort((a, b) => a[0] - b[0]);
  const shifts: { from: number; by: number }[] = [];
  let end = spans[0]?.[0] ?? 0;
  let by = 0;
  for (const [top, bottom] of spans) {
    if (top - end > WIDEST_GAP) {
      by += top - end - WIDEST_GAP;
      shifts.push({ from: top, by });
    }
    end = Math.max(end, bottom);
  }
  for (const [id, box] of boxes) {
    const shift = shifts.findLast(({ from }) => from <= box.y)?.by ?? 0;
    if (shift > 0) boxes.set(id, { ...box, y: box.y - shift });
  }
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
    const size = node.kind === "folded" ? FOLDED : boxSizes[node.kind];
    const at = moved[node.id] ?? wishedPlace(scene, node, boxes, size.height);
    let box: Box = { x: at.x, y: at.y, ...size };
    while (!moved[node.id] && !taken.isFree(rectOf(box))) box = { ...box, y: box.y + 20 };
    boxes.set(node.id, box);
    taken.add(node.id, rectOf(box, 8));
  }
}

function wishedPlace(scene: Scene, node: SceneNode, boxes: ReadonlyMap<NodeId, Box>, height: number): Position {
  const reads = scene.edges.filter(({ to }) => to === node.id).map(({ from }) => boxes.get(from));
  const above = reads.filter((box) => box !== undefined).sort((a, b) => b.y - a.y)[0];
  if (above) return { x: above.x, y: above.y + above.height + 32 };
  const below = scene.edges.filter(({ from }) => from === node.id).map(({ to }) => boxes.get(to))[0];
  if (below) return { x: below.x, y: below.y - height - 32 };
  const right = Math.max(-60, ...[...boxes.values()].map(({ x, width }) => x + width));
  return { x: right + 60, y: 0 };
}
