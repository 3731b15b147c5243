/** @file Reading images through grids. */
import { expect, test } from "vitest";
import { close, run, upTo, wave, type Given } from "./testing";

const [height, width] = [3, 4];
const x: Given = [[1, 1, height, width], wave(height * width, 0.7)];
/** A grid of one row of points, each (x, y) in elements, as −1 … 1 from middle to middle. */
const gridAt = (points: readonly (readonly [number, number])[]): Given => [
  [1, 1, points.length, 2],
  points.flatMap(([column, row]) => [(2 * column) / (width - 1) - 1, (2 * row) / (height - 1) - 1]),
];
const at = (column: number, row: number): number => x![1][row * width + column]!;
const aligned = (mode: string, padding = "zeros") => [
  { name: "mode", s: mode },
  { name: "padding_mode", s: padding },
  { name: "align_corners", i: 1 },
];

test("between elements the four neighbours share by distance; a cubic meets the elements themselves", () => {
  const [linear] = run(
    "GridSample",
    [
      x,
      gridAt([
        [1.25, 0.5],
        [3, 2],
      ]),
    ],
    aligned("linear"),
  );
  const row = (at_: number): number => 0.75 * at(1, at_) + 0.25 * at(2, at_);
  close(linear!.data, [(row(0) + row(1)) / 2, at(3, 2)]);
  const [cubic] = run(
    "GridSample",
    [
      x,
      gridAt([
        [1, 1],
        [2, 0],
      ]),
    ],
    aligned("cubic"),
  );
  close(cubic!.data, [at(1, 1), at(2, 0)]);
});

test("outside there are zeros, the border, or the image mirrored", () => {
  const outside = gridAt([
    [-1, 0],
    [5, 1],
    [2, -2],
  ]);
  const read = (padding: string): number[] => run("GridSample", [x, outside], aligned("nearest", padding))[0]!.data;
  close(read("zeros"), [0, 0, 0]);
  close(read("border"), [at(0, 0), at(3, 1), at(2, 0)]);
  close(read("reflection"), [at(1, 0), at(1, 1), at(2, 2)]);
});

test("the grid of the identity reads the image as it is", () => {
  const size: Given = [[4], [1, 1, height, width]];
  const [grid] = run(
    "AffineGrid",
    [
      [
        [1, 2, 3],
        [1, 0, 0, 0, 1, 0],
      ],
      size,
    ],
    [{ name: "align_corners", i: 0 }],
    { known: [1], opset: 20 },
  );
  expect(grid!.shape).toEqual([1, height, width, 2]);
  close(grid!.data.slice(0, 2), [1 / width - 1, 1 / height - 1]);
  const [same] = run("GridSample", [x, [grid!.shape, grid!.data]], [{ name: "mode", s: "linear" }]);
  close(
    same!.data,
    upTo(height * width).map((i) => x![1][i]!),
  );
});

test("taps moved by data: groups of channels, groups of offsets, a mask", () => {
  const [channels, height, width, results, groups, moved] = [4, 5, 4, 2, 2, 2];
  const [rows, columns] = [3, 2]; // stride 2 and 3, one element around, taps 2 × 2 of which the rows are 2 apart
  const x = wave(channels * height * width, 0.7);
  const w = wave((results * channels * 4) / groups, 0.3);
  const offset = wave(moved * 8 * rows * columns, 1.3).map((v) => 1.5 * v);
  const mask = wave(moved * 4 * rows * columns, 0.9);
  const read = (channel: number, y: number, col: number): number => {
    const [top, left] = [Math.floor(y), Math.floor(col)];
    const at = (i: number, j: number): number =>
      i >= 0 && i < height && j >= 0 && j < width ? x[(channel * height + i) * width + j]! : 0;
    return upTo(4).reduce((sum, corner) => {
      const [i, j] = [top + (corner >> 1), left + (corner & 1)];
      return sum + (1 - Math.abs(y - i)) * (1 - Math.abs(col - j)) * at(i, j);
    }, 0);
  };
  const want = upTo(results * rows * columns).map((out) => {
    const [result, p, q] = [Math.floor(out / (rows * columns)), Math.floor(out / columns) % rows, out % columns];
    return upTo(2 * 4).reduce((sum, i) => {
      const [own, tap] = [i >> 2, i & 3];
      const channel = result * 2 + own; // one result a group of two channels
      const group = Math.floor(channel / (channels / moved));
      const point = p * columns + q;
      const by = (axis: number): number => offset[((group * 4 + tap) * 2 + axis) * rows * columns + point]!;
      const value = read(channel, 2 * p - 1 + 2 * (tap >> 1) + by(0), 3 * q - 1 + (tap & 1) + by(1));
      return sum + w[(result * 2 + own) * 4 + tap]! * mask[(group * 4 + tap) * rows * columns + point]! * value;
    }, result + 1);
  });
  const [got] = run(
    "DeformConv",
    [
      [[1, channels, height, width], x],
      [[results, 2, 2, 2], w],
      [[1, moved * 8, rows, columns], offset],
      [[results], [1, 2]],
      [[1, moved * 4, rows, columns], mask],
    ],
    [
      { name: "strides", ints: [2, 3] },
      { name: "dilations", ints: [2, 1] },
      { name: "pads", ints: [1, 1, 1, 1] },
      { name: "group", i: groups },
      { name: "offset_group", i: moved },
    ],
  );
  expect(got!.shape).toEqual([1, results, rows, columns]);
  close(got!.data, want);
});
