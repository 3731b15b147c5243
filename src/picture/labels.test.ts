import { expect, test } from "vitest";
import { Blackboard } from "./labels";

const hull = { x0: 0, x1: 100, y0: 0, y1: 100 };
const board = (): Blackboard => {
  const made = new Blackboard([
    ["op", hull],
    ["above", { x0: -300, x1: 100, y0: -80, y1: -1 }],
    ["below", { x0: -300, x1: 100, y0: 101, y1: 180 }],
    ["left", { x0: -300, x1: -1, y0: 0, y1: 100 }],
    ["far", { x0: 300, x1: 400, y0: -80, y1: 180 }],
  ]);
  // A pipe runs close by on the right.
  const pipe = [
    { x: 130, y: -80 },
    { x: 130, y: 180 },
  ];
  made.addLine("pipe", pipe, 3);
  return made;
};

test("a title that has no room beside its hull stands whole a little farther off", () => {
  const tag = board().placeTag("r1", [hull], 120, 36);
  expect(tag.cut).toBeUndefined();
  expect(tag.x).toBeGreaterThan(133);
  expect(tag.x + tag.width).toBeLessThanOrEqual(300);
});

test("a second line is offered where nothing stands below", () => {
  const blackboard = board();
  expect(blackboard.placeTag("r1", [hull], 120, 36).tall).toBe(true);
  // The place between the two is taken: what is left has one line.
  blackboard.addArea("wall", { x0: 134, x1: 299, y0: -80, y1: 64 });
  const tag = blackboard.placeTag("r2", [hull], 24, 100);
  expect(tag.tall).toBeUndefined();
});

test("a title may grow, where the graph is small, up to what stands beside it", () => {
  const tag = board().placeTag("r1", [hull], 120, 36);
  expect(tag.x + tag.clear).toBeLessThanOrEqual(300);
  expect(tag.x + tag.clear).toBeGreaterThan(284);
  const alone = new Blackboard([["op", hull]]).placeTag("r1", [hull], 120, 36);
  expect(alone.clear).toBeGreaterThan(400);
});
