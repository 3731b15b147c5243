/** @file Reading images through grids. */
import { expect, test } from "vitest";
import { close, run, upTo, wave, type Given } from "./testing";

const [height, width] = [3, 4];
const x: Given = [[1, 1, height, width], wave(height * width, 0.7)]; // prettier-ignore
/** A grid of one row of places, each (x, y) in elements, as −1 … 1 from middle to middle. */
const gridAt = (places: readonly (readonly [number, number])[]): Given => [
  [1, 1, places.length, 2],
  places.flatMap(([column, row]) => [(2 * column) / (width - 1) - 1, (2 * row) / (height - 1) - 1]),
];
const at = (column: number, row: number): number => x![1][row * width + column]!;
const aligned = (mode: string, padding = "zeros") => [
  { name: "mode", s: mode },
  { name: "padding_mode", s: padding },
  { name: "align_corners", i: 1 },
];

test("between elements the four neighbours share by distance; a cubic meets the elements themselves", () => {
  const [linear] = run("GridSample", [x, gridAt([[1.25, 0.5], [3, 2]])], aligned("linear")); // prettier-ignore
  const row = (at_: number): number => 0.75 * at(1, at_) + 0.25 * at(2, at_);
  close(linear!.data, [(row(0) + row(1)) / 2, at(3, 2)]);
  const [cubic] = run("GridSample", [x, gridAt([[1, 1], [2, 0]])], aligned("cubic")); // prettier-ignore
  close(cubic!.data, [at(1, 1), at(2, 0)]);
});

test("outside there are zeros, the border, or the image mirrored", () => {
  const outside = gridAt([[-1, 0], [5, 1], [2, -2]]); // prettier-ignore
  const read = (padding: string): number[] => run("GridSample", [x, outside], aligned("nearest", padding))[0]!.data;
  close(read("zeros"), [0, 0, 0]);
  close(read("border"), [at(0, 0), at(3, 1), at(2, 0)]);
  close(read("reflection"), [at(1, 0), at(1, 1), at(2, 2)]);
});

test("the grid of the identity reads the image as it is", () => {
  const size: Given = [[4], [1, 1, height, width]]; // prettier-ignore
  const [grid] = run("AffineGrid", [[[1, 2, 3], [1, 0, 0, 0, 1, 0]], size], [{ name: "align_corners", i: 0 }], { known: [1], opset: 20 }); // prettier-ignore
  expect(grid!.shape).toEqual([1, height, width, 2]);
  close(grid!.data.slice(0, 2), [1 / width - 1, 1 / height - 1]);
  const [same] = run("GridSample", [x, [grid!.shape, grid!.data]], [{ name: "mode", s: "linear" }]);
  close(same!.data, upTo(height * width).map((i) => x![1][i]!)); // prettier-ignore
});
