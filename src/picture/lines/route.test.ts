import { expect, test } from "vitest";
import { edgeId, nodeId } from "../../fusion";
import type { NodeId } from "../../fusion";
import { meet, rectOf, strips } from "./geometry";
import type { Box, Point } from "./geometry";
import { routesOf } from "./route";
import type { RouteRequest } from "./route";

const box = (x: number, y: number): Box => ({ x, y, width: 156, height: 44 });
const line = (from: string, to: string, operand = 0): RouteRequest => ({
  id: edgeId(nodeId(from), nodeId(to), operand),
  from: nodeId(from),
  to: nodeId(to),
  width: 7,
});
const boxes = (all: Record<string, Box>): Map<NodeId, Box> =>
  new Map(Object.entries(all).map(([id, at]) => [nodeId(id), at]));
const ways = (lines: readonly RouteRequest[], all: Record<string, Box>): (readonly Point[])[] => {
  const routes = routesOf(lines, boxes(all), new Map());
  return lines.map(({ id }) => routes.get(id)!);
};

test("boxes one above the other are joined by a straight line between their middles", () => {
  expect(ways([line("a", "b")], { a: box(0, 0), b: box(0, 76) })).toEqual([
    [
      { x: 78, y: 44 },
      { x: 78, y: 76 },
    ],
  ]);
});

test("boxes in one row are joined by a level line", () => {
  expect(ways([line("a", "b")], { a: box(0, 0), b: box(216, 0) })).toEqual([
    [
      { x: 156, y: 22 },
      { x: 216, y: 22 },
    ],
  ]);
});

test("a far line goes round the op between its ends", () => {
  const all = { a: box(0, 0), b: box(0, 76), c: box(0, 152) };
  const [, , far] = ways([line("a", "b"), line("b", "c"), line("a", "c", 1)], all);
  expect(strips(far!, 1).some((leg) => meet(leg, rectOf(all.b)))).toBe(false);
});

test("two values enter an op at two places", () => {
  const [first, second] = ways([line("a", "c"), line("b", "c", 1)], { a: box(0, 0), b: box(216, 0), c: box(0, 100) });
  expect(first!.at(-1)).not.toEqual(second!.at(-1));
});

test("a line whose boxes stay keeps its way when another box moves", () => {
  const before = boxes({ a: box(0, 0), b: box(0, 76), c: box(216, 76) });
  const lines = [line("a", "b"), line("a", "c")];
  const routes = routesOf(lines, before, new Map());
  const after = boxes({ a: box(0, 0), b: box(0, 76), c: box(400, 300) });
  const moved = routesOf(lines, after, new Map(), { boxes: before, routes });
  expect(moved.get(lines[0]!.id)).toBe(routes.get(lines[0]!.id));
  expect(moved.get(lines[1]!.id)).not.toEqual(routes.get(lines[1]!.id));
});

test("a line goes round a box that has come to stand on it", () => {
  const line1 = line("a", "b");
  const before = boxes({ a: box(0, 0), b: box(0, 300) });
  const routes = routesOf([line1], before, new Map());
  const after = boxes({ a: box(0, 0), b: box(0, 300), c: box(0, 150) });
  const way = routesOf([line1], after, new Map(), { boxes: before, routes }).get(line1.id)!;
  expect(strips(way, 1).some((leg) => meet(leg, rectOf(box(0, 150))))).toBe(false);
});

test("a line finds its way between boxes that stand on every simple one", () => {
  const wall = (y: number, from: number): [string, Box][] =>
    Array.from({ length: 7 }, (_, i) => [`${y} ${i}`, box(from + i * 174, y)]);
  const all = Object.fromEntries([...wall(100, -600), ...wall(200, -690), ["a", box(0, 0)], ["b", box(0, 300)]]);
  const [way] = ways([line("a", "b")], all);
  const between = Object.entries(all).filter(([id]) => id !== "a" && id !== "b");
  expect(between.filter(([, at]) => strips(way!, 1).some((leg) => meet(leg, rectOf(at))))).toEqual([]);
});

test("every way is right-angled", () => {
  const all = { a: box(0, 0), b: box(300, 200), c: box(-250, 90), d: box(0, 400) };
  const lines = [line("a", "b"), line("a", "c"), line("c", "d"), line("b", "d", 1), line("d", "a")];
  for (const way of ways(lines, all)) {
    way.slice(1).forEach((point, i) => expect(point.x === way[i]!.x || point.y === way[i]!.y).toBe(true));
  }
});
