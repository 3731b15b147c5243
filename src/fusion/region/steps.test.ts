import { expect, test } from "vitest";
import { eitherStep, moving, sharedSteps, steps, stepsAlong, still } from "./steps";
import type { RegionForm } from "./types";

/** Columns 0 … 7, four a turn. */
const columns = moving(4, 0, 7);
const row = (space: number[], reducedAxes: number[], size: number): RegionForm => ({
  template: "row-reduce",
  space,
  reducedAxes,
  rows: 1,
  columns: size,
  reductions: [],
  scans: [],
  columnFolds: [],
  orders: [],
  contraction: null,
});

test("four neighbours of a copy of four stand still, those of a copy of three don't", () => {
  expect(steps.mod(columns, 4).step).toBe(0);
  expect(steps.mod(columns, 2).step).toBe(0);
  expect(steps.mod(columns, 3).step).toBe(1);
  expect(steps.mod(columns, 8).step).toBe(4);
});

test("a quotient stands still when every turn has the same", () => {
  expect(steps.div(columns, 4).step).toBe(1);
  expect(steps.div(columns, 8).step).toBe(0);
  expect(steps.div(columns, 3).step).toBe(1);
});

test("the row's part of a place in the tensor is the row again, whatever the columns do", () => {
  const place = steps.add(steps.mul(still(0, 4), 8), columns);
  expect(steps.div(place, 8)).toMatchObject({ step: 0, min: 0, max: 4 });
  expect(steps.mod(place, 8)).toMatchObject({ step: 4, min: 0, max: 7 });
  expect(steps.div(place, 4)).toMatchObject({ step: 1, min: 0, max: 9 });
  expect(steps.div(steps.add(place, steps.int(1)), 8).step).not.toBe(0);
});

test("a row that is a part of a longer one is known to stand still there, too", () => {
  const place = steps.add(steps.mul(still(0, 6), 8), columns);
  const inRow = steps.mod(place, 16);
  expect(inRow).toMatchObject({ step: 4, min: 0, max: 15 });
  expect(steps.div(inRow, 8)).toMatchObject({ step: 0, min: 0, max: 1 });
  expect(steps.div(place, 16)).toMatchObject({ step: 0, min: 0, max: 3 });
  expect(steps.div(place, 12).step).toBe(1);
});

test("what lies outside of the range decides a condition", () => {
  expect(steps.less(columns, 8)).toBe("always");
  expect(steps.atLeast(columns, 8)).toBe("never");
  expect(steps.and(steps.less(columns, 4), steps.atLeast(columns, 0))).toBe("depends");
});

test("either of two indices moves when one does", () => {
  expect(eitherStep(columns, steps.int(9))).toMatchObject({ step: 4, min: 0, max: 9 });
});

test("what threads of a turn count down by is not followed, unless it is the same in every turn", () => {
  const turns = moving(64, 0, 127);
  expect(sharedSteps.mod(turns, 32).step).toBe(0);
  expect(sharedSteps.mod(sharedSteps.add(sharedSteps.mul(turns, -1), sharedSteps.int(127)), 32).step).toBe(1);
  expect(sharedSteps.mul(still(1, 3), -1)).toMatchObject({ step: 0, min: -3, max: -1 });
});

test("a loop over two axes moves the inner one only when a turn does not take it whole", () => {
  const stepOf = (space: number[], width: number): number[] =>
    stepsAlong([], row(space, [0, 1], space[0]! * space[1]!), width).map(({ step }) => step);
  expect(stepOf([2, 4], 4)).toEqual([1, 0]);
  expect(stepOf([2, 8], 4)).toEqual([1, 4]);
  expect(stepOf([2, 4], 1)).toEqual([1, 1]);
  expect(stepOf([1, 4], 4)).toEqual([0, 0]);
});

test("a view keeps what the columns do", () => {
  const view = { from: [2, 4], to: [8], perm: null };
  expect(stepsAlong([view], row([2, 4], [0, 1], 8), 4)).toMatchObject([{ step: 4, min: 0, max: 7 }]);
});
