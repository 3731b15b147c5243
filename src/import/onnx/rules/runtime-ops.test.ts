/** @file Ops of ONNX Runtime that few models have, and whole numbers made real: against their formulas. */
import { expect, test } from "vitest";
import { close, node, run, runGraph, upTo, wave } from "./testing";

const MICROSOFT = { domain: "com.microsoft" };
const clamp = (v: number, top: number): number => Math.min(Math.max(v, 0), top);

test("crops in shares of an image, resampled; outside there is a number", () => {
  const [height, width] = [4, 5];
  const x = wave(2 * 3 * height * width, 0.7);
  const boxes = [
    [0, 0, 0.5, 0.8],
    [0.9, 1.1, 0.1, 0.2],
  ];
  const owners = [1, 0];
  const [rows, columns] = [3, 2];
  const at = (plane: number, y: number, col: number): number => x[(plane * height + y) * width + col]!;
  const want = boxes.flatMap(([top, left, bottom, right], r) =>
    upTo(3).flatMap((channel) =>
      upTo(rows).flatMap((i) =>
        upTo(columns).map((j) => {
          const y = (top! + ((bottom! - top!) * i) / (rows - 1)) * (height - 1);
          const col = (left! + ((right! - left!) * j) / (columns - 1)) * (width - 1);
          if (y < 0 || y > height - 1 || col < 0 || col > width - 1) return 9;
          const [p, q] = [Math.floor(y), Math.floor(col)];
          const line = (row: number): number =>
            at(owners[r]! * 3 + channel, row, q) * (1 - col + q) +
            at(owners[r]! * 3 + channel, row, clamp(q + 1, width - 1)) * (col - q);
          return line(p) * (1 - y + p) + line(clamp(p + 1, height - 1)) * (y - p);
        }),
      ),
    ),
  );
  const [got] = run(
    "CropAndResize",
    [
      [[2, 3, height, width], x],
      [[2, 4], boxes.flat()],
      [[2], owners],
      [[2], [rows, columns]],
    ],
    [{ name: "extrapolation_value", f: 9 }],
    { ...MICROSOFT, known: [3] },
  );
  expect(got!.shape).toEqual([2, 3, rows, columns]);
  close(got!.data, want);
});

test("windows of an axis become rows", () => {
  const [got] = run(
    "UnfoldTensor",
    [[[2, 7], upTo(14)]],
    [
      { name: "dim", i: 1 },
      { name: "size", i: 3 },
      { name: "step", i: 2 },
    ],
    MICROSOFT,
  );
  expect(got!.shape).toEqual([2, 3, 3]);
  expect(got!.data).toEqual(
    [0, 7].flatMap((row) => [0, 2, 4].flatMap((start) => [0, 1, 2].map((i) => row + start + i))),
  );
});

test("a bias for each bucket of distances", () => {
  const told = [
    { name: "max_distance", i: 16 },
    { name: "is_bidirectional", i: 1 },
  ];
  const [got] = run(
    "RelativePositionBias",
    [
      [[8, 1], upTo(8)],
      [[], [1]],
      [[], [20]],
    ],
    told,
    { ...MICROSOFT, known: [1, 2] },
  );
  expect(got!.shape).toEqual([1, 1, 1, 20]);
  // Two buckets of their own, two for what is farther: from 2 · √(16 / 2) on, it is the last.
  expect(got!.data).toEqual(upTo(20).map((k) => (k === 0 ? 0 : k === 1 ? 5 : k < 2 * Math.sqrt(8) ? 6 : 7)));
});

test("half a spectrum and the way back", () => {
  const x = wave(16, 0.9);
  const nodes = [
    node("Rfft", ["x"], ["s"], [{ name: "signal_ndim", i: 1 }], "com.microsoft"),
    node("Irfft", ["s"], ["y"], [{ name: "signal_ndim", i: 1 }], "com.microsoft"),
  ];
  const [spectrum, back] = runGraph(nodes, { x: [[2, 8], x] }, ["s", "y"], MICROSOFT);
  const want = [0, 8].flatMap((row) =>
    upTo(5).flatMap((k): number[] =>
      [Math.cos, (v: number): number => -Math.sin(v)].map((f) =>
        upTo(8).reduce((sum, n) => sum + x[row + n]! * f((2 * Math.PI * n * k) / 8), 0),
      ),
    ),
  );
  expect(spectrum!.shape).toEqual([2, 5, 2]);
  close(spectrum!.data, want);
  close(back!.data, x);
});

test.each([
  [[1, 2], [], 1],
  [[1, Infinity], [], 0],
  [[NaN, 1], [], 0],
  [[NaN, 1], [{ name: "isinf_only", i: 1 }], 1],
] as const)("are %j finite? %j", (data, told, want) => {
  expect(
    run(
      "IsAllFinite",
      [
        [[2], data],
        [[2], [0, 0]],
      ],
      told,
      MICROSOFT,
    )[0]!.data,
  ).toEqual([want]);
});

test.each([
  ["one scale", [], [2], [], (): number => 2],
  ["one for each column", [3], [1, 2, 3], [], (at: number): number => (at % 3) + 1],
  ["one for each row", [2], [1, 2], [{ name: "axis", i: 0 }], (at: number): number => Math.floor(at / 3) + 1],
  [
    "one for each block",
    [2, 2],
    [1, 2, 3, 4],
    [{ name: "block_size", i: 2 }],
    (at: number): number => [1, 1, 2, 3, 3, 4][at]!,
  ],
] as const)("whole numbers times %s", (_, dims, scales, told, scale) => {
  const nodes = [node("Cast", ["x"], ["i"], [{ name: "to", i: 6 }]), node("DequantizeLinear", ["i", "s"], ["y"], told)];
  const [got] = runGraph(nodes, { x: [[2, 3], upTo(6)], s: [dims, scales] }, ["y"]);
  expect(got!.data).toEqual(upTo(6).map((v) => v * scale(v)));
});
