import { expect, test } from "vitest";
import { hullPath, unionHoles, unionLoops } from "./outline";
import type { Rect } from "./lines/geometry";

const rect = (x0: number, y0: number, x1: number, y1: number): Rect => ({ x0, y0, x1, y1 });

test("two rectangles that overlap have one border around both", () => {
  const loops = unionLoops([rect(0, 0, 40, 20), rect(20, 10, 60, 40)]);
  expect(loops).toHaveLength(1);
  expect(loops[0]).toHaveLength(8);
  expect(loops[0]).toContainEqual({ x: 20, y: 20 });
});

test("separate rectangles stay separate bodies", () => {
  expect(unionLoops([rect(0, 0, 10, 10), rect(20, 0, 30, 10)])).toHaveLength(2);
  expect(hullPath([rect(0, 0, 10, 10), rect(20, 0, 30, 10)]).match(/Z/g)).toHaveLength(2);
});

test("a ring has a hole of the size of its inside", () => {
  const ring = [rect(0, 0, 60, 10), rect(0, 40, 60, 50), rect(0, 0, 10, 50), rect(50, 0, 60, 50)];
  expect(unionHoles(ring)).toEqual([rect(10, 10, 50, 40)]);
  expect(unionHoles([rect(0, 0, 60, 50)])).toEqual([]);
});
