/** @file Shapes a line may take between two boxes, from straight to round the outside. */
import type { Box, Point } from "./geometry";

const SLOTS = [0, 52, -52, 26, -26] as const;
const SIDE_SLOTS = [0, 12, -12] as const;
const GUTTERS = [18, 30, 42] as const;
const MARGIN = 14;
const STUB = 15;
/** Distances of a level leg from the box it turns to: the smaller one fits between close rows. */
const STUBS = [STUB, 9] as const;

const middle = (box: Box): Point => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
const right = (box: Box): number => box.x + box.width;
const bottom = (box: Box): number => box.y + box.height;

/** Places on a box's upper or lower border. */
const slots = (box: Box): number[] =>
  SLOTS.filter((offset) => Math.abs(offset) < box.width / 2 - MARGIN).map((offset) => middle(box).x + offset);
/** The first three of them, where there are many combinations to try. */
const mainSlots = (box: Box): number[] => slots(box).slice(0, 3);
/** Places on a box's left or right border. */
const sideSlots = (box: Box): number[] =>
  SIDE_SLOTS.filter((offset) => Math.abs(offset) < box.height / 2 - 6).map((offset) => middle(box).y + offset);

/** Upside down. */
const flipped = ({ x, y, width, height }: Box): Box => ({ x, y: -y - height, width, height });
const flip = ({ x, y }: Point): Point => ({ x, y: -y });

/**
 * Right-angled polylines from `from` to `to`, those with fewer bends first. `bends` come from the layout. A reader that stands
 * above what it reads is reached as one below it is, upside down.
 */
export function* candidates(from: Box, to: Box, bends: readonly Point[]): Generator<readonly Point[]> {
  if (bottom(to) > from.y) yield* downwards(from, to, bends);
  else for (const way of downwards(flipped(from), flipped(to), bends.map(flip))) yield way.map(flip);
}

function* downwards(from: Box, to: Box, bends: readonly Point[]): Generator<readonly Point[]> {
  yield* straight(from, to);
  yield* level(from, to);
  yield* sideThenTop(from, to);
  yield* bottomThenSide(from, to);
  yield* topThenSide(from, to);
  yield* zigzag(from, to);
  yield* throughGap(from, to);
  if (bends.length > 0) yield alongBends(from, to, bends);
  yield* roundOutside(from, to);
}

function* straight(from: Box, to: Box): Generator<readonly Point[]> {
  if (to.y < bottom(from)) return;
  const low = Math.max(from.x, to.x) + MARGIN;
  const high = Math.min(right(from), right(to)) - MARGIN;
  for (const x of new Set([...slots(to), middle(from).x])) {
    if (x >= low && x <= high)
      yield [
        { x, y: bottom(from) },
        { x, y: to.y },
      ];
  }
}

function* level(from: Box, to: Box): Generator<readonly Point[]> {
  const low = Math.max(from.y, to.y) + 6;
  const high = Math.min(bottom(from), bottom(to)) - 6;
  for (const y of new Set([middle(from).y, ...sideSlots(to)])) {
    if (y < low || y > high) continue;
    if (from.x >= right(to))
      yield [
        { x: from.x, y },
        { x: right(to), y },
      ];
    else if (to.x >= right(from))
      yield [
        { x: right(from), y },
        { x: to.x, y },
      ];
  }
}

function* sideThenTop(from: Box, to: Box): Generator<readonly Point[]> {
  for (const y of sideSlots(from)) {
    if (to.y < y + STUB) continue;
    for (const x of slots(to)) {
      if (x > right(from) + MARGIN)
        yield [
          { x: right(from), y },
          { x, y },
          { x, y: to.y },
        ];
      else if (x < from.x - MARGIN)
        yield [
          { x: from.x, y },
          { x, y },
          { x, y: to.y },
        ];
    }
  }
}

function* bottomThenSide(from: Box, to: Box): Generator<readonly Point[]> {
  for (const y of sideSlots(to)) {
    if (y < bottom(from) + STUB) continue;
    for (const x of slots(from)) {
      if (x > right(to) + MARGIN)
        yield [
          { x, y: bottom(from) },
          { x, y },
          { x: right(to), y },
        ];
      else if (x < to.x - MARGIN)
        yield [
          { x, y: bottom(from) },
          { x, y },
          { x: to.x, y },
        ];
    }
  }
}

/** Side to facing side, with a step half-way. */
function* zigzag(from: Box, to: Box): Generator<readonly Point[]> {
  const leftwards = from.x >= right(to) + 2 * 8;
  if (!leftwards && to.x < right(from) + 2 * 8) return;
  const [start, end] = leftwards ? [from.x, right(to)] : [right(from), to.x];
  const x = (start + end) / 2;
  for (const y of sideSlots(to)) {
    const sideY = middle(from).y;
    yield [
      { x: start, y: sideY },
      { x, y: sideY },
      { x, y },
      { x: end, y },
    ];
  }
}

/** For a reader that a person put above what it reads. */
function* topThenSide(from: Box, to: Box): Generator<readonly Point[]> {
  for (const y of sideSlots(to)) {
    if (y > from.y - STUB) continue;
    for (const x of slots(from)) {
      if (x > right(to) + MARGIN)
        yield [
          { x, y: from.y },
          { x, y },
          { x: right(to), y },
        ];
      else if (x < to.x - MARGIN)
        yield [
          { x, y: from.y },
          { x, y },
          { x: to.x, y },
        ];
    }
  }
}

function* throughGap(from: Box, to: Box): Generator<readonly Point[]> {
  if (to.y < bottom(from) + 2 * STUBS[1]) return;
  for (const y of STUBS.flatMap((stub) => [to.y - stub, bottom(from) + stub])) {
    for (const x of slots(to)) {
      for (const start of mainSlots(from)) {
        yield [
          { x: start, y: bottom(from) },
          { x: start, y },
          { x, y },
          { x, y: to.y },
        ];
      }
    }
  }
}

function* roundOutside(from: Box, to: Box): Generator<readonly Point[]> {
  const sideY = middle(from).y;
  for (const gutter of GUTTERS) {
    const outer = [
      { x: Math.max(right(from), right(to)) + gutter, exit: right(from), entry: right(to) },
      { x: right(from) + gutter, exit: right(from), entry: right(to) },
      { x: Math.min(from.x, to.x) - gutter, exit: from.x, entry: to.x },
      { x: from.x - gutter, exit: from.x, entry: to.x },
    ];
    for (const { x, exit, entry } of outer) {
      for (const y of sideSlots(to))
        yield [
          { x: exit, y: sideY },
          { x, y: sideY },
          { x, y },
          { x: entry, y },
        ];
      for (const stub of STUBS) yield* intoTop(from, to, { x, exit, sideY, stub });
    }
  }
}

function* intoTop(
  from: Box,
  to: Box,
  { x, exit, sideY, stub }: { x: number; exit: number; sideY: number; stub: number },
): Generator<readonly Point[]> {
  for (const end of mainSlots(to)) {
    const last = [
      { x, y: to.y - stub },
      { x: end, y: to.y - stub },
      { x: end, y: to.y },
    ];
    yield [{ x: exit, y: sideY }, { x, y: sideY }, ...last];
    const start = middle(from).x;
    const below = bottom(from) + stub;
    yield [{ x: start, y: bottom(from) }, { x: start, y: below }, { x, y: below }, ...last];
  }
}

/** The layout's points made right-angled: level half-way between two of them. */
function alongBends(from: Box, to: Box, bends: readonly Point[]): readonly Point[] {
  const points = [
    { x: middle(from).x, y: bottom(from) },
    ...bends.filter(({ y }) => y > bottom(from) && y < to.y),
    { x: middle(to).x, y: to.y },
  ];
  const way: Point[] = [points[0]!];
  points.slice(1).forEach((point, i) => {
    const before = points[i]!;
    const y = (before.y + point.y) / 2;
    if (before.x !== point.x) way.push({ x: before.x, y }, { x: point.x, y });
  });
  way.push(points.at(-1)!);
  return way;
}
