/** @file The body of a kernel: its ops' padded boxes and the ways between them, never over an op of another kernel. */
import type { NodeId } from "../../fusion";
import { meet, rectOf, strips } from "./geometry";
import { unionHoles } from "../outline";
import type { Box, BoxIndex, Point, Rect } from "./geometry";

const PAD = 10;
const TIGHT_PAD = 5;
const CORRIDOR = 10;

export interface InnerLine {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly points: readonly Point[];
}

/**
 * Rectangles whose union is the hull. It falls into several bodies where an op of another kernel lies between; a hole
 * with nothing in it is filled.
 */
export function hullRects(
  members: readonly NodeId[],
  lines: readonly InnerLine[],
  boxes: ReadonlyMap<NodeId, Box>,
  index: BoxIndex<NodeId>,
): Rect[] {
  const own = new Set(members);
  const free = (rect: Rect): boolean => !index.some(rect, (id) => !own.has(id));
  const rects: Rect[] = [];
  for (const id of members) {
    const box = boxes.get(id);
    if (box) rects.push(free(rectOf(box, PAD)) ? rectOf(box, PAD) : rectOf(box, TIGHT_PAD));
  }
  for (const { from, to, points } of lines) {
    const [a, b] = [boxes.get(from), boxes.get(to)];
    if (!a || !b) continue;
    const wide = points.length === 2 ? between(rectOf(a, PAD), rectOf(b, PAD)) : null;
    if (wide && free(wide)) rects.push(wide);
    else rects.push(...strips(points, CORRIDOR).filter(free));
  }
  const body = joined(rects);
  return [...body, ...unionHoles(body).filter(free)];
}

/** The room between two boxes that face each other. */
function between(a: Rect, b: Rect): Rect | null {
  const [x0, x1] = [Math.max(a.x0, b.x0), Math.min(a.x1, b.x1)];
  const [y0, y1] = [Math.max(a.y0, b.y0), Math.min(a.y1, b.y1)];
  if (x0 < x1) return { x0, x1, y0: Math.min(a.y1, b.y1), y1: Math.max(a.y0, b.y0) };
  if (y0 < y1) return { x0: Math.min(a.x1, b.x1), x1: Math.max(a.x0, b.x0), y0, y1 };
  return null;
}

/** Stacks of equally wide rectangles become one: a chain of a thousand ops stays cheap to outline. */
function joined(rects: readonly Rect[]): Rect[] {
  const proper = rects.map((r) => ({
    x0: Math.min(r.x0, r.x1),
    x1: Math.max(r.x0, r.x1),
    y0: Math.min(r.y0, r.y1),
    y1: Math.max(r.y0, r.y1),
  }));
  const columns = new Map<string, Rect[]>();
  for (const rect of proper) {
    const known = columns.get(`${rect.x0},${rect.x1}`);
    if (known) known.push(rect);
    else columns.set(`${rect.x0},${rect.x1}`, [rect]);
  }
  return [...columns.values()].flatMap((column) => {
    const done: Rect[] = [];
    for (const rect of column.sort((a, b) => a.y0 - b.y0)) {
      const last = done.at(-1);
      if (last && rect.y0 <= last.y1) done[done.length - 1] = { ...last, y1: Math.max(last.y1, rect.y1) };
      else done.push(rect);
    }
    return done.filter(({ x0, x1, y0, y1 }) => x0 < x1 && y0 < y1);
  });
}

/** Whether a hull covers a box that is not its own: for tests. */
export const covers = (rects: readonly Rect[], box: Box): boolean => rects.some((rect) => meet(rect, rectOf(box)));
