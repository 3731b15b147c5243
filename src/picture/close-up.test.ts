import { expect, test } from "vitest";
import { nodeId } from "../fusion";
import type { NodeId } from "../fusion";
import { closeUp } from "./close-up";
import { around, meet, rectOf } from "./lines/geometry";
import type { Box } from "./lines/geometry";
import { firstViewport, followViewport, LEGIBLE } from "./zoom";

const id = nodeId;
const size = { width: 156, height: 44 };
const closed = (
  places: Record<string, readonly [x: number, y: number]>,
  docked: Record<string, readonly string[]> = {},
  ways: readonly (readonly [string, string])[] = [],
): Record<string, Box> => {
  const boxes = new Map<NodeId, Box>(Object.entries(places).map(([name, [x, y]]) => [id(name), { x, y, ...size }]));
  const beside = new Map(Object.entries(docked).map(([owner, names]) => [id(owner), names.map(id)]));
  closeUp(
    boxes,
    beside,
    ways.map(([from, to]) => ({ from: id(from), to: id(to) })),
  );
  return Object.fromEntries(boxes);
};

test("what stood in rows of its own comes into one column, in the same order", () => {
  const { a, b, c } = closed({ a: [0, 0], b: [900, 300], c: [400, 600] });
  expect([a!.x, b!.x, c!.x]).toEqual([0, 0, 0]);
  expect([a!.y, b!.y, c!.y]).toEqual([0, 90, 180]);
});

test("neighbours in a row stay neighbours, and what is docked goes along", () => {
  const { a, b, w } = closed({ a: [0, 0], b: [2000, 10], w: [2200, 10] }, { b: ["w"] });
  expect(b!.x - a!.x - a!.width).toBe(60);
  expect(w!.x - b!.x).toBe(200);
});

test("nothing comes to stand on a line that went straight down", () => {
  const places = { a: [0, 0], beside: [300, 100], b: [0, 200] } as const;
  expect(closed(places, {}, [["a", "b"]]).beside!.x).toBeGreaterThan(78);
  expect(closed(places, {}, []).beside!.x).toBe(0);
});

test("boxes of any size end clear of each other", () => {
  let seed = 7;
  const random = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
  for (let round = 0; round < 40; round++) {
    const boxes = new Map<NodeId, Box>();
    for (let i = 0; i < 14; i++)
      boxes.set(id(`n${i}`), { x: random(1500), y: random(1500), width: 120 + random(120), height: 30 + random(40) });
    closeUp(boxes, new Map(), []);
    const list = [...boxes.values()].map((box) => rectOf(box));
    list.forEach((rect, i) => expect(list.slice(0, i).some((other) => meet(rect, other))).toBe(false));
  }
});

test("the view stays while all is in sight, refits when it is not, and follows the step in what is too large", () => {
  const room = { width: 700, height: 500, card: 280 };
  const small = [{ x0: 0, y0: 0, x1: 300, y1: 300 }];
  expect(followViewport({ x: 20, y: 20, zoom: 1 }, small, null, room, 0.6)).toBeNull();
  expect(followViewport({ x: -200, y: 20, zoom: 1 }, small, null, room, 0.6)).toMatchObject({ zoom: 1 });
  const long = [{ x0: 0, y0: 0, x1: 300, y1: 4000 }];
  const about = { x0: 0, y0: 2000, x1: 100, y1: 2100 };
  const view = followViewport({ x: 8, y: 8, zoom: 1 }, long, about, room, 0.6)!;
  expect(view.zoom).toBe(0.6);
  const seen = around([about]);
  expect(seen.y0 * view.zoom + view.y).toBeGreaterThanOrEqual(0);
  expect(seen.y1 * view.zoom + view.y).toBeLessThanOrEqual(room.height);
  expect(followViewport(view, long, about, room, 0.6)).toBeNull();
});

test("before the first step a graph that is too large is shown from its beginning, wherever the view was", () => {
  const box = (x: number, y: number) => ({ x0: x, y0: y, x1: x + 150, y1: y + 44 });
  const room = { width: 675, height: 500, card: 0 };
  const wide = [box(0, 0), box(1800, 900)];
  const there = firstViewport({ x: -900, y: 0, zoom: LEGIBLE }, wide, room, LEGIBLE, wide[0]!);
  expect(there).toMatchObject({ zoom: LEGIBLE });
  expect(there!.x).toBeGreaterThan(0);
  expect(firstViewport({ x: 8, y: 8, zoom: 1 }, [box(0, 0)], room, LEGIBLE, null)).toBeNull();
});

test("a graph that is wider than what is beside the card moves into what is empty at its left", () => {
  const room = { width: 700, height: 700, card: 260 };
  const wide = [{ x0: 0, y0: 0, x1: 1000, y1: 900 }];
  const about = { x0: 40, y0: 100, x1: 200, y1: 200 };
  expect(followViewport({ x: 88, y: 8, zoom: 0.6 }, wide, about, room, 0.6)).toEqual({ x: 8, y: 8, zoom: 0.6 });
  expect(followViewport({ x: 8, y: 8, zoom: 0.6 }, wide, about, room, 0.6)).toBeNull();
  expect(followViewport({ x: 88, y: 8, zoom: 0.6 }, wide, about, { ...room, card: 0 }, 0.6)).toBeNull();
});

test("where the card must hide something, it is docked inputs rather than ops: the graph is drawn so much smaller", () => {
  const room = { width: 675, height: 536, card: 278 };
  const ops = { x0: -110, y0: 0, x1: 632, y1: 830 };
  const content = [ops, { x0: 660, y0: 480, x1: 784, y1: 510, docked: true }];
  const view = followViewport({ x: 74, y: -12, zoom: 0.6 }, content, ops, room, LEGIBLE)!;
  expect(view.zoom).toBeGreaterThan(0.52);
  // 250 px of card, 14 px from the edge.
  expect(ops.x1 * view.zoom + view.x).toBeLessThanOrEqual(room.width - 264);
  // An op there would need more than the room allows.
  const wider = [...content, { x0: 660, y0: 0, x1: 816, y1: 44 }];
  expect(followViewport({ x: 74, y: -12, zoom: 0.6 }, wider, ops, room, LEGIBLE)?.zoom ?? 0.6).toBeGreaterThan(0.58);
});
