import { expect, test } from "vitest";
import { eitherStride, movingIndex, sharedStrides, indexStrides, stridesAlong, constantIndex } from "./index-strides";
import type { RegionForm } from "../types";

/** Columns 0 … 7, four an iteration. */
const columns = movingIndex(4, 0, 7);
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
  expect(indexStrides.mod(columns, 4).step).toBe(0);
  expect(indexStrides.mod(columns, 2).step).toBe(0);
  expect(indexStrides.mod(columns, 3).step).toBe(1);
  expect(indexStrides.mod(columns, 8).step).toBe(4);
});

test("a quotient stands still when every iteration has the same", () => {
  expect(indexStrides.div(columns, 4).step).toBe(1);
  expect(indexStrides.div(columns, 8).step).toBe(0);
  expect(indexStrides.div(columns, 3).step).toBe(1);
});

test("the row's part of an index in the tensor is the row again, whatever the columns do", () => {
  const index = indexStrides.add(indexStrides.mul(constantIndex(0, 4), 8), columns);
  expect(indexStrides.div(index, 8)).toMatchObject({ step: 0, min: 0, max: 4 });
  expect(indexStrides.mod(index, 8)).toMatchObject({ step: 4, min: 0, max: 7 });
  expect(indexStrides.div(index, 4)).toMatchObject({ step: 1, min: 0, max: 9 });
  expect(indexStrides.div(indexStrides.add(index, indexStrides.int(1)), 8).step).not.toBe(0);
});

test("a row that is a part of a longer one is known to stand still there, too", () => {
  const index = indexStrides.add(indexStrides.mul(constantIndex(0, 6), 8), columns);
  const inRow = indexStrides.mod(index, 16);
  expect(inRow).toMatchObject({ step: 4, min: 0, max: 15 });
  expect(indexStrides.div(inRow, 8)).toMatchObject({ step: 0, min: 0, max: 1 });
  expect(indexStrides.div(index, 16)).toMatchObject({ step: 0, min: 0, max: 3 });
  expect(indexStrides.div(index, 12).step).toBe(1);
});

test("what lies outside of the range decides a condition", () => {
  expect(indexStrides.less(columns, 8)).toBe("always");
  expect(indexStrides.atLeast(columns, 8)).toBe("never");
  expect(indexStrides.and(indexStrides.less(columns, 4), indexStrides.atLeast(columns, 0))).toBe("depends");
});

test("either of two indices moves when one does", () => {
  expect(eitherStride(columns, indexStrides.int(9))).toMatchObject({ step: 4, min: 0, max: 9 });
});

test("an index that counts down is followed only where it is the same in every iteration", () => {
  const index = movingIndex(64, 0, 127);
  expect(sharedStrides.mod(index, 32).step).toBe(0);
  expect(sharedStrides.mod(sharedStrides.add(sharedStrides.mul(index, -1), sharedStrides.int(127)), 32).step).toBe(1);
  expect(sharedStrides.mul(constantIndex(1, 3), -1)).toMatchObject({ step: 0, min: -3, max: -1 });
});

test("a loop over two axes moves the inner one only when an iteration does not take it whole", () => {
  const stepOf = (space: number[], width: number): number[] =>
    stridesAlong([], row(space, [0, 1], space[0]! * space[1]!), width).map(({ step }) => step);
  expect(stepOf([2, 4], 4)).toEqual([1, 0]);
  expect(stepOf([2, 8], 4)).toEqual([1, 4]);
  expect(stepOf([2, 4], 1)).toEqual([1, 1]);
  expect(stepOf([1, 4], 4)).toEqual([0, 0]);
});

test("a view keeps what the columns do", () => {
  const view = { from: [2, 4], to: [8], perm: null };
  expect(stridesAlong([view], row([2, 4], [0, 1], 8), 4)).toMatchObject([{ step: 4, min: 0, max: 7 }]);
});

test("where a view joins an axis of the columns with one of the rows, both are found again", () => {
  const joined = { from: [2, 3, 5], to: [6, 5], perm: null };
  const parted = { from: [6, 5], to: [2, 3, 5], perm: null };
  const steps = stridesAlong([joined, parted], row([2, 3, 5], [0, 2], 10), 1).map(({ step }) => step);
  expect(steps).toEqual([1, 0, 1]);
});

test("each of four neighbours knows which of two it is of, whichever four they are", () => {
  const across = { ...row([24, 12], [0], 24), rows: 12 };
  const rowOf = (number: number) => stridesAlong([], across, 1, { along: "rows", number })[1]!;
  expect(indexStrides.mod(rowOf(2), 2)).toMatchObject({ step: 0, min: 0, max: 0 });
  expect(indexStrides.mod(rowOf(3), 2)).toMatchObject({ step: 0, min: 1, max: 1 });
  expect(rowOf(3)).toMatchObject({ step: 0, min: 3, max: 11 });
  const along = row([24, 12], [1], 12);
  const columnOf = (width: number) => stridesAlong([], along, width, { along: "columns", number: 1 })[1]!;
  expect(columnOf(4)).toMatchObject({ step: 4, min: 1, max: 9 });
  expect(indexStrides.mod(columnOf(1), 2)).toMatchObject({ step: 0, min: 1, max: 1 });
  expect(columnOf(12)).toMatchObject({ step: 0 });
});

test("either of two indices keeps what divides both", () => {
  const [first, second] = [constantIndex(0, 4), constantIndex(2, 7)].map((rows) =>
    indexStrides.add(indexStrides.mul(rows, 8), columns),
  );
  const either = eitherStride(first!, second!);
  expect(indexStrides.div(either, 8)).toMatchObject({ step: 0, min: 0, max: 7 });
  expect(indexStrides.mod(either, 8)).toMatchObject({ step: 4, min: 0, max: 7 });
});
