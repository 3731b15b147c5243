/** @file The cheapest right-angled way between two boxes along the gaps of all others: for lines that no simple shape leads past them. */
import { meet } from "./geometry";
import type { Box, Point, Rect } from "./geometry";

/** px from a box to a way along its border: between two rows there is room for one beside each. */
const BESIDE = 8;
/** px around the two boxes where a way is sought first, and then farther off. */
const AREAS = [240, 960, Infinity] as const;
/** Crossings of ways beside boxes that are looked at in all, so that a step never takes long. */
const MOST = 40_000;

/** Where a line may leave or enter a box: a point of its border, and one beside it in the open. */
interface Gate {
  readonly at: Point;
  readonly out: Point;
}

export interface Ground {
  readonly boxes: readonly Rect[];
  /** Cost of a straight leg; Infinity where a box stands in its way. */
  readonly legCost: (a: Point, b: Point) => number;
  readonly bend: number;
  readonly perPx: number;
}

/** A way from `from` to `to` that meets no other box, or null where there is none. */
export function wayAround(from: Box, to: Box, ground: Ground): readonly Point[] | null {
  for (const margin of AREAS) {
    const area = {
      x0: Math.min(from.x, to.x) - margin,
      x1: Math.max(from.x + from.width, to.x + to.width) + margin,
      y0: Math.min(from.y, to.y) - margin,
      y1: Math.max(from.y + from.height, to.y + to.height) + margin,
    };
    const near = ground.boxes.filter((box) => meet(box, area));
    const way = cheapest(gatesOf(from, "out"), gatesOf(to, "in"), near, ground);
    if (way) return way;
    if (near.length === ground.boxes.length) return null;
  }
  return null;
}

/** Values leave at the lower border and the sides and enter at the upper one and the sides, elsewhere where there is no other way. */
function gatesOf({ x, y, width, height }: Box, way: "out" | "in"): Gate[] {
  const [middle, level] = [x + width / 2, y + height / 2];
  const border = way === "out" ? y + height : y;
  const beyond = way === "out" ? border + BESIDE : border - BESIDE;
  const slots = [middle, middle - width / 4, middle + width / 4];
  return [
    ...slots.map((at) => ({ at: { x: at, y: border }, out: { x: at, y: beyond } })),
    { at: { x, y: level }, out: { x: x - BESIDE, y: level } },
    { at: { x: x + width, y: level }, out: { x: x + width + BESIDE, y: level } },
  ];
}

const sorted = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

interface Reached {
  readonly column: number;
  readonly row: number;
  readonly level: boolean;
  readonly cost: number;
  readonly before: Reached | null;
}

/** Dijkstra over the crossings of all lines beside boxes, once for arriving level and once for arriving upright. */
function cheapest(
  starts: readonly Gate[],
  ends: readonly Gate[],
  near: readonly Rect[],
  { legCost, bend, perPx }: Ground,
): readonly Point[] | null {
  const gates = [...starts, ...ends].map(({ out }) => out);
  const xs = sorted([...near.flatMap(({ x0, x1 }) => [x0 - BESIDE, x1 + BESIDE]), ...gates.map(({ x }) => x)]);
  const ys = sorted([...near.flatMap(({ y0, y1 }) => [y0 - BESIDE, y1 + BESIDE]), ...gates.map(({ y }) => y)]);
  const pointAt = ({ column, row }: Pick<Reached, "column" | "row">): Point => ({ x: xs[column]!, y: ys[row]! });
  const gateAt = ({ out }: Gate): Pick<Reached, "column" | "row"> => ({
    column: xs.indexOf(out.x),
    row: ys.indexOf(out.y),
  });
  const isLevel = ({ at, out }: Gate): boolean => at.y === out.y;
  const keyOf = ({ column, row, level }: Pick<Reached, "column" | "row" | "level">): number =>
    (column * ys.length + row) * 2 + Number(level);
  const goals = new Map(ends.map((gate) => [keyOf({ ...gateAt(gate), level: isLevel(gate) }), gate] as const));
  const open = new Heap();
  const first = new Map<Reached, Gate>();
  for (const gate of starts) {
    const reached = { ...gateAt(gate), level: isLevel(gate), cost: legCost(gate.at, gate.out), before: null };
    first.set(reached, gate);
    open.push(reached);
  }
  const done = new Set<number>();
  for (let here = open.pop(); here && done.size < MOST; here = open.pop()) {
    if (here.cost === Infinity || done.has(keyOf(here))) continue;
    done.add(keyOf(here));
    const goal = goals.get(keyOf(here));
    if (goal && legCost(goal.out, goal.at) < Infinity) return straightened(here, goal, first, pointAt);
    for (const [dx, dy] of DIRECTIONS) {
      const next = { column: here.column + dx, row: here.row + dy, level: dy === 0 };
      if (xs[next.column] === undefined || ys[next.row] === undefined || done.has(keyOf(next))) continue;
      const [a, b] = [pointAt(here), pointAt(next)];
      const px = Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
      const cost = here.cost + px * perPx + legCost(a, b) + (next.level === here.level ? 0 : bend);
      open.push({ ...next, cost, before: here });
    }
  }
  return null;
}

const DIRECTIONS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

/** The way from its start, in order, without points on straight legs. */
function straightened(
  last: Reached,
  goal: Gate,
  first: ReadonlyMap<Reached, Gate>,
  pointAt: (reached: Reached) => Point,
): readonly Point[] {
  const back: Point[] = [goal.at];
  let start = last;
  for (let at: Reached | null = last; at; at = at.before) {
    back.push(pointAt(at));
    start = at;
  }
  back.push(first.get(start)!.at);
  const way = back.reverse();
  return way.filter((point, i) => {
    const [a, b] = [way[i - 1], way[i + 1]];
    return !a || !b || !((a.x === point.x && point.x === b.x) || (a.y === point.y && point.y === b.y));
  });
}

/** The cheapest first. */
class Heap {
  private readonly list: Reached[] = [];
  push(reached: Reached): void {
    const { list } = this;
    let at = list.length;
    list.push(reached);
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (list[up]!.cost <= reached.cost) break;
      list[at] = list[up]!;
      at = up;
    }
    list[at] = reached;
  }
  pop(): Reached | undefined {
    const { list } = this;
    const [top] = list;
    const last = list.pop();
    if (!last || list.length === 0) return top;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= list.length) break;
      if (down + 1 < list.length && list[down + 1]!.cost < list[down]!.cost) down++;
      if (list[down]!.cost >= last.cost) break;
      list[at] = list[down]!;
      at = down;
    }
    list[at] = last;
    return top;
  }
}
