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

const MAX_LANES = 2;
const LANE = 26;

/** One bracket a statement, or for those in the same rows, left of all boxes and lines; outermost lanes for those that overlap; what finds no lane is left out. */
export function bracketsOf(
  scene: Scene,
  boxes: ReadonlyMap<NodeId, Box>,
  ways: Iterable<readonly Point[]> = [],
): Bracket[] {
  const spans = new Map<string, { top: number; bottom: number }>();
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
      if (known) spans.set(name, { top: Math.min(known.top, top), bottom: Math.max(known.bottom, bottom) });
      else spans.set(name, { top, bottom });
    }
  }
  for (const way of ways) for (const { x } of way) left = Math.min(left, x + 12);
  const rows = new Map<string, Pick<Bracket, "name" | "top" | "bottom">>();
  for (const [name, { top, bottom }] of spans) {
    const key = `${top} ${bottom}`;
    const known = rows.get(key);
    rows.set(key, { name: known ? `${known.name}, ${name}` : name, top, bottom });
  }
  const ends: number[] = [];
  const brackets: Bracket[] = [];
  for (const { name, top, bottom } of [...rows.values()].sort((a, b) => a.top - b.top)) {
    const lane = ends.findIndex((end) => end < top);
    const at = lane >= 0 ? lane : ends.length;
    if (at >= MAX_LANES) continue;
    ends[at] = bottom;
    brackets.push({ name, x: left - 24 - at * LANE, top, bottom, lane: at });
  }
  return brackets;
}
