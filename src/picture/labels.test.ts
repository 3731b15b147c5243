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

test("a title covers no box: off a corner where the sides are taken, cut to the number where all is", () => {
  const boxes = [
    ["op", hull],
    ["left", { x0: -400, x1: -1, y0: -400, y1: 400 }],
    ["above", { x0: 0, x1: 100, y0: -90, y1: -4 }],
    ["below", { x0: 0, x1: 100, y0: 104, y1: 190 }],
    ["inputs", { x0: 108, x1: 300, y0: 0, y1: 100 }],
  ] as const;
  const corner = new Blackboard(boxes).placeTag("r1", [hull], 120, 36);
  expect([corner.x, corner.y, corner.cut]).toEqual([110, 103, undefined]);
  const crowded = new Blackboard([
    ...boxes,
    ["around", { x0: 108, x1: 300, y0: 130, y1: 400 }],
    ["over", { x0: 108, x1: 300, y0: -400, y1: -4 }],
  ]);
  const tag = crowded.placeTag("r1", [hull], 120, 36);
  expect([tag.cut, tag.width, tag.height]).toEqual([true, 26, 18]);
});

test("a title grows into no place that another title took after it", () => {
  const below = { x0: 0, x1: 100, y0: 110, y1: 200 };
  const blackboard = new Blackboard([
    ["op", hull],
    ["other", below],
    ["far", { x0: 600, x1: 700, y0: 0, y1: 200 }],
  ]);
  const [first, second] = [blackboard.placeTag("r1", [hull], 150, 36), blackboard.placeTag("r2", [below], 150, 36)];
  blackboard.addArea("tag r3", { x0: first.x, x1: first.x + 60, y0: first.y + 38, y1: first.y + 60 });
  expect(first.tall).toBe(true);
  expect(blackboard.settled("r1", first).tall).toBeUndefined();
  expect(blackboard.settled("r2", second)).toEqual(second);
});

test("bytes are written in a small graph only where they cover nothing as large as they are there", () => {
  const line = [
    { x: 50, y: 40 },
    { x: 50, y: 64 },
  ];
  const boxes = [
    ["from", { x0: 0, x1: 144, y0: 0, y1: 40 }],
    ["to", { x0: 0, x1: 144, y0: 64, y1: 104 }],
  ] as const;
  expect(new Blackboard(boxes).placeOnLine("line", line, "6 MiB", 5)).toMatchObject({ grows: "left", roomy: true });
  const beside = new Blackboard([...boxes, ["near", { x0: 105, x1: 144, y0: 44, y1: 60 }]]);
  expect(beside.placeOnLine("line", line, "6 MiB", 5)).toMatchObject({ roomy: false });
});
