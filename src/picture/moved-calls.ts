/** @file Calls that a person put somewhere, as a box of the usual size: where one opens, room is made for its ops. */
import { ownEntry } from "../fusion";
import type { NodeId } from "../fusion";
import { boxSizes, foldOf, pillTarget } from "../document";
import type { Position } from "../document";
import { around, rectOf } from "./lines/geometry";
import type { Box } from "./lines/geometry";
import type { Scene } from "./scene";

type Moved = Readonly<Record<string, Position>>;

/** Ops of calls that were moved while they were closed stand where the call was put; what is below or to the right of it makes way. */
export function openMovedCalls(scene: Scene, boxes: Map<NodeId, Box>, moved: Moved): void {
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
