import { expect, test } from "vitest";
import type { NeighbourAccess, NodeId } from "../../../fusion";
import { operandPicture } from "./neighbours";

const access = (given: Partial<NeighbourAccess>): NeighbourAccess => ({
  value: "x" as NodeId,
  name: "x",
  access: "read",
  width: 1,
  stride: 1,
  byData: false,
  segments: [128],
  threads: 32,
  ...given,
});
const words = (given: Partial<NeighbourAccess>): string[] => {
  const { way, cost } = operandPicture(access(given), 0);
  return [way, cost];
};

test("each way of reading has its words, and says what it wastes", () => {
  expect(words({})).toEqual(["side by side", "1 segment of 128 B for 128 B"]);
  expect(words({ stride: 4, width: 4, segments: [128, 128, 128, 128] })).toEqual([
    "side by side, four each",
    "4 segments of 128 B for 512 B",
  ]);
  expect(words({ stride: 0, segments: [4] })).toEqual(["all the same element", "1 segment of 128 B for 4 B"]);
  expect(words({ stride: 96, segments: Array.from({ length: 32 }, () => 4) })).toEqual([
    "96 elements apart",
    "32 segments of 128 B for 128 B, 3.1 % of them used",
  ]);
  expect(words({ byData: true, stride: null, segments: [] })).toEqual(["where the data says", ""]);
});

test("a run that begins inside a segment is still tight; a box is filled as far as it is wanted", () => {
  const { tight, boxes } = operandPicture(access({ segments: [96, 32] }), 0);
  expect(tight).toBe(true);
  expect(boxes).toEqual([0.75, 0.25]);
});
