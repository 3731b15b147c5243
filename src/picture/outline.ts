/** @file The outline of a union of rectangles: the soft hull around a kernel. */
import { roundedPath } from "./lines/geometry";
import type { Point, Rect } from "./lines/geometry";

/** Closed loops along the border of the union, collinear points dropped. Holes come as loops of their own. */
export function unionLoops(rects: readonly Rect[]): Point[][] {
  const xs = [...new Set(rects.flatMap(({ x0, x1 }) => [x0, x1]))].sort((a, b) => a - b);
  const ys = [...new Set(rects.flatMap(({ y0, y1 }) => [y0, y1]))].sort((a, b) => a - b);
  const column = new Map(xs.map((x, i) => [x, i]));
  const line = new Map(ys.map((y, i) => [y, i]));
  const filled = new Set<number>();
  const cell = (i: number, j: number): number => j * xs.length + i;
  for (const { x0, y0, x1, y1 } of rects) {
    for (let j = line.get(y0)!; j < line.get(y1)!; j++) {
      for (let i = column.get(x0)!; i < column.get(x1)!; i++) filled.add(cell(i, j));
    }
  }
  return tracedLoops(bordersOf(filled, xs, ys));
}

/** Twice the signed area: positive for outer borders, negative for holes. */
const signedArea = (loop: readonly Point[]): number =>
  loop.reduce((sum, p, i) => {
    const q = loop[(i + 1) % loop.length]!;
    return sum + p.x * q.y - q.x * p.y;
  }, 0);

/** The extents of the holes in the union. */
export const unionHoles = (rects: readonly Rect[]): Rect[] =>
  unionLoops(rects)
    .filter((loop) => signedArea(loop) < 0)
    .map((loop) => ({
      x0: Math.min(...loop.map(({ x }) => x)),
      y0: Math.min(...loop.map(({ y }) => y)),
      x1: Math.max(...loop.map(({ x }) => x)),
      y1: Math.max(...loop.map(({ y }) => y)),
    }));

const key = ({ x, y }: Point): string => `${x},${y}`;

/** Directed border pieces by their start, the filled side on their right. */
function bordersOf(filled: ReadonlySet<number>, xs: readonly number[], ys: readonly number[]): Map<string, Point[][]> {
  const pieces = new Map<string, Point[][]>();
  const add = (from: Point, to: Point): void => {
    const known = pieces.get(key(from));
    if (known) known.push([from, to]);
    else pieces.set(key(from), [[from, to]]);
  };
  const has = (i: number, j: number): boolean => i >= 0 && i < xs.length - 1 && filled.has(j * xs.length + i);
  for (const at of filled) {
    const [i, j] = [at % xs.length, Math.floor(at / xs.length)];
    const [x0, x1, y0, y1] = [xs[i]!, xs[i + 1]!, ys[j]!, ys[j + 1]!];
    if (!has(i, j - 1)) add({ x: x0, y: y0 }, { x: x1, y: y0 });
    if (!has(i + 1, j)) add({ x: x1, y: y0 }, { x: x1, y: y1 });
    if (!has(i, j + 1)) add({ x: x1, y: y1 }, { x: x0, y: y1 });
    if (!has(i - 1, j)) add({ x: x0, y: y1 }, { x: x0, y: y0 });
  }
  return pieces;
}

function tracedLoops(pieces: Map<string, Point[][]>): Point[][] {
  const loops: Point[][] = [];
  for (const list of pieces.values()) {
    while (list.length > 0) {
      const loop: Point[] = [];
      for (let piece = list.pop(); piece; piece = pieces.get(key(piece[1]!))?.pop()) loop.push(piece[0]!);
      loops.push(withoutStraights(loop));
    }
  }
  return loops;
}

const withoutStraights = (loop: readonly Point[]): Point[] =>
  loop.filter((p, i) => {
    const [a, b] = [loop[(i + loop.length - 1) % loop.length]!, loop[(i + 1) % loop.length]!];
    return !((a.x === p.x && p.x === b.x) || (a.y === p.y && p.y === b.y));
  });

const RADIUS = 14;

/** An SVG path around the union of `rects`, corners rounded. */
export const hullPath = (rects: readonly Rect[]): string =>
  unionLoops(rects)
    .map((loop) => roundedPath(loop, RADIUS, true))
    .join("");
