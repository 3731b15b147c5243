/** @file Brackets at the left edge: which rows of ops a line of the program became. */
import { boundName } from "../../fusion";
import type { NodeId } from "../../fusion";
import type { Box, Point } from "./geometry";
import type { Scene } from "../scene";

export interface Bracket {
  /** The binding: `h`; of lines whose ops stand in the same rows, all of them: `q, k, v`. */
  readonly name: string;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  /** 0 is nearest to the graph. */
  readonly lane: number;
}

/** Where the ops of a line stand: their leftmost edge, and from the topmost to the lowest. */
interface Span {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

const MAX_LANES = 2;
const LANE = 26;

/** One bracket a statement, or for those in the same rows, left of all boxes and lines; outermost lanes for those that overlap; what finds no lane, or stands behind another's box, is left out. */
export function bracketsOf(
  scene: Scene,
  boxes: ReadonlyMap<NodeId, Box>,
  ways: Iterable<readonly Point[]> = [],
): Bracket[] {
  const spans = new Map<string, Span>();
  let left = Infinity;
  for (const node of scene.nodes) {
    const box = boxes.get(node.id);
    if (!box) continue;
    left = Math.min(left, box.x);
    // A derivative stands in no line of the program, and in a column of its own.
    if (node.late || (node.kind !== "op" && node.kind !== "folded")) continue;
    const names = new Set((node.kind === "folded" ? node.inside : [node.id]).map(boundName));
    // Many lines in one box: the box has a name of its own.
    if (names.size > MAX_LANES) continue;
    for (const name of names) {
      const known = spans.get(name);
      const [top, bottom] = [box.y + 2, box.y + box.height - 2];
      const x = Math.min(known?.x ?? Infinity, box.x);
      spans.set(name, { x, top: Math.min(known?.top ?? top, top), bottom: Math.max(known?.bottom ?? bottom, bottom) });
    }
  }
  for (const way of ways) for (const { x } of way) left = Math.min(left, x + 12);
  const rows = new Map<string, Span & Pick<Bracket, "name">>();
  for (const [name, span] of spans) {
    const key = `${span.top} ${span.bottom}`;
    const known = rows.get(key);
    rows.set(
      key,
      known ? { ...span, name: `${known.name}, ${name}`, x: Math.min(known.x, span.x) } : { ...span, name },
    );
  }
  // Beside a box of another line the bracket would speak of that one.
  const isHidden = ({ x, top, bottom }: Span): boolean =>
    [...boxes.values()].some((box) => box.x < x && box.y < bottom && box.y + box.height > top);
  const ends: number[] = [];
  const brackets: Bracket[] = [];
  for (const span of [...rows.values()].sort((a, b) => a.top - b.top)) {
    if (isHidden(span)) continue;
    const { name, top, bottom } = span;
    const lane = ends.findIndex((end) => end < top);
    const at = lane >= 0 ? lane : ends.length;
    if (at >= MAX_LANES) continue;
    ends[at] = bottom;
    brackets.push({ name, x: left - 24 - at * LANE, top, bottom, lane: at });
  }
  return brackets;
}
