/** @file Boxes, segments and their overlaps. Flow coordinates, px at zoom 1. */

export interface Point {
  readonly x: number;
  readonly y: number;
}
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}
/** Left, top, right, bottom. */
export interface Rect {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export const rectOf = ({ x, y, width, height }: Box, pad = 0): Rect => ({
  x0: x - pad,
  y0: y - pad,
  x1: x + width + pad,
  y1: y + height + pad,
});

/** Overlap with an area: touching edges do not count. */
export const meet = (a: Rect, b: Rect): boolean => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

export const around = (rects: readonly Rect[]): Rect => ({
  x0: Math.min(...rects.map(({ x0 }) => x0)),
  y0: Math.min(...rects.map(({ y0 }) => y0)),
  x1: Math.max(...rects.map(({ x1 }) => x1)),
  y1: Math.max(...rects.map(({ y1 }) => y1)),
});

export const centre = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 });

/** The segment from a to b, `half` px thick on each side. */
export const strip = (a: Point, b: Point, half: number): Rect => ({
  x0: Math.min(a.x, b.x) - half,
  y0: Math.min(a.y, b.y) - half,
  x1: Math.max(a.x, b.x) + half,
  y1: Math.max(a.y, b.y) + half,
});

/** Legs of a polyline as thick strips. */
export const strips = (points: readonly Point[], half: number): Rect[] =>
  points.slice(1).map((point, i) => strip(points[i]!, point, half));

export const lengthOf = (points: readonly Point[]): number =>
  points.slice(1).reduce((sum, { x, y }, i) => sum + Math.abs(x - points[i]!.x) + Math.abs(y - points[i]!.y), 0);

/** An SVG path along right-angled legs, corners rounded by up to `radius`. */
export function roundedPath(points: readonly Point[], radius: number, closed = false): string {
  const list = points.filter((p, i) => i === 0 || p.x !== points[i - 1]!.x || p.y !== points[i - 1]!.y);
  const at = (i: number): Point => list[(i + list.length) % list.length]!;
  const from = (a: Point, b: Point, r: number): Point => {
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    return length === 0 ? a : { x: a.x + ((b.x - a.x) * r) / length, y: a.y + ((b.y - a.y) * r) / length };
  };
  const parts: string[] = [];
  list.forEach((p, i) => {
    const end = !closed && (i === 0 || i === list.length - 1);
    const [before, after] = [at(i - 1), at(i + 1)];
    const limit = Math.min(Math.hypot(p.x - before.x, p.y - before.y), Math.hypot(p.x - after.x, p.y - after.y)) / 2;
    const straight = (before.x === p.x && p.x === after.x) || (before.y === p.y && p.y === after.y);
    if (end || straight) parts.push(`${i === 0 ? "M" : "L"}${p.x} ${p.y}`);
    else {
      const [a, b] = [from(p, before, Math.min(radius, limit)), from(p, after, Math.min(radius, limit))];
      parts.push(`${i === 0 ? "M" : "L"}${a.x} ${a.y}Q${p.x} ${p.y} ${b.x} ${b.y}`);
    }
  });
  return parts.join("") + (closed ? "Z" : "");
}

interface Entry<K> {
  readonly key: K;
  readonly rect: Rect;
  /** The last question that saw it: an entry that spans several cells answers once. */
  seen: number;
}

/** Answers which of many boxes a rectangle meets, by cells of 256 px. */
export class BoxIndex<K> {
  private readonly cells = new Map<number, Entry<K>[]>();
  private question = 0;
  constructor(entries: Iterable<readonly [K, Rect]> = []) {
    for (const [key, rect] of entries) this.add(key, rect);
  }
  add(key: K, rect: Rect): void {
    const entry: Entry<K> = { key, rect, seen: 0 };
    const [x0, x1, y0, y1] = cellsOf(rect);
    for (let x = x0; x <= x1; x++) {
      for (let y = y0; y <= y1; y++) {
        const list = this.cells.get(x * ROWS + y);
        if (list) list.push(entry);
        else this.cells.set(x * ROWS + y, [entry]);
      }
    }
  }
  /** Calls `visit` for each box that `rect` meets, once; true from it ends the search, and is the answer. */
  some(rect: Rect, visit: (key: K) => boolean): boolean {
    const question = ++this.question;
    const [x0, x1, y0, y1] = cellsOf(rect);
    for (let x = x0; x <= x1; x++) {
      for (let y = y0; y <= y1; y++) {
        for (const entry of this.cells.get(x * ROWS + y) ?? []) {
          if (entry.seen === question || !meet(entry.rect, rect)) continue;
          entry.seen = question;
          if (visit(entry.key)) return true;
        }
      }
    }
    return false;
  }
  isFree(rect: Rect): boolean {
    return !this.some(rect, () => true);
  }
}

const CELL = 256;
/** More rows of cells than any drawing has. */
const ROWS = 1 << 20;
const cellsOf = ({ x0, y0, x1, y1 }: Rect): readonly [number, number, number, number] => [
  Math.floor(x0 / CELL),
  Math.floor(x1 / CELL),
  Math.floor(y0 / CELL),
  Math.floor(y1 / CELL),
];
