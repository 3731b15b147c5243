/** @file Regions against loops over their samples, their elements and their pairs. */
import { describe, expect, test } from "vitest";
import { close, run, upTo, wave, type Given } from "./testing";

const [batch, channels, height, width] = [2, 3, 6, 7];
const x = wave(batch * channels * height * width, 0.7);
const image: Given = [[batch, channels, height, width], x];
const [rows, columns] = [3, 2];

/** Samples of one region of one channel, bilinear, weighted neighbours as they come. */
function samples(
  plane: number,
  box: readonly number[],
  halves: boolean,
  grid: (length: number, bins: number) => number,
): (p: number, q: number) => number[][] {
  const at = (y: number, col: number): number => x[(plane * height + y) * width + col]!;
  const shift = halves ? 0.5 : 0;
  const [left, top, right, bottom] = box.map((v) => v - shift) as [number, number, number, number];
  const length = (from: number, to: number): number => (halves ? to - from : Math.max(to - from, 1));
  const [h, w] = [length(top, bottom), length(left, right)];
  const neighbours = (v: number, extent: number): [number, number][] => {
    if (v < -1 || v > extent)
      return [
        [0, 0],
        [0, 0],
      ];
    const bounded = Math.min(Math.max(v, 0), extent - 1);
    const low = Math.floor(bounded);
    return [
      [low, 1 - (bounded - low)],
      [Math.min(low + 1, extent - 1), bounded - low],
    ];
  };
  return (p, q) =>
    upTo(grid(h, rows)).flatMap((i) =>
      upTo(grid(w, columns)).map((j) => {
        const y = top + (p + (i + 0.5) / grid(h, rows)) * (h / rows);
        const col = left + (q + (j + 0.5) / grid(w, columns)) * (w / columns);
        return neighbours(y, height).flatMap(([a, u]) => neighbours(col, width).map(([b, v]) => u * v * at(a, b)));
      }),
    );
}

describe("regions sampled between elements", () => {
  const boxes = [
    [0.3, 0.6, 4.2, 5.1],
    [2, 1, 2.4, 5.9],
    [-3, -2, 8, 6.5],
  ];
  const owners = [1, 0, 1];
  const rois: Given = [[3, 4], boxes.flat()];
  const told = [
    { name: "output_height", i: rows },
    { name: "output_width", i: columns },
  ];
  const wanted = (mode: string, halves: boolean, ratio: number): number[] =>
    boxes.flatMap((box, r) =>
      upTo(channels).flatMap((channel) => {
        const of = samples(owners[r]! * channels + channel, box, halves, (length, bins) =>
          ratio > 0 ? ratio : Math.ceil(length / bins),
        );
        return upTo(rows).flatMap((p) =>
          upTo(columns).map((q) => {
            const all = of(p, q);
            return mode === "avg" ? all.flat().reduce((sum, v) => sum + v, 0) / all.length : Math.max(...all.flat());
          }),
        );
      }),
    );
  test.each([
    ["avg", "half_pixel", 2, {}],
    ["max", "half_pixel", 2, {}],
    ["avg", "output_half_pixel", 3, {}],
    ["avg", "half_pixel", 0, { known: [1] }],
    ["max", "output_half_pixel", 0, { known: [1] }],
    ["avg", "half_pixel", 0, { weights: [1] }],
  ] as const)("%s, %s, %d samples a bin, %j", (mode, transform, ratio, how) => {
    const attributes = [
      ...told,
      { name: "mode", s: mode },
      { name: "coordinate_transformation_mode", s: transform },
      { name: "sampling_ratio", i: ratio },
    ];
    const [got] = run("RoiAlign", [image, rois, [[3], owners]], attributes, how);
    expect(got!.shape).toEqual([3, channels, rows, columns]);
    close(got!.data, wanted(mode, transform === "half_pixel", ratio));
  });
});

test("the largest element of each bin, 0 where it lies outside", () => {
  const boxes = [
    [1, 0, 0, 5, 5],
    [0, 2, 3, 11, 8],
    [1, 13, 13, 15, 15],
  ];
  const [got] = run(
    "MaxRoiPool",
    [image, [[3, 5], boxes.flat()]],
    [
      { name: "pooled_shape", ints: [rows, columns] },
      { name: "spatial_scale", f: 0.5 },
    ],
  );
  const want = boxes.flatMap(([owner, ...box]) => {
    const [left, top, right, bottom] = box.map((v) => Math.round(v * 0.5)) as [number, number, number, number];
    const [h, w] = [Math.max(bottom - top + 1, 1), Math.max(right - left + 1, 1)];
    return upTo(channels).flatMap((channel) =>
      upTo(rows * columns).map((bin) => {
        const [p, q] = [Math.floor(bin / columns), bin % columns];
        const inside = upTo(height * width).filter((at) => {
          const [y, col] = [Math.floor(at / width) - top, (at % width) - left];
          return (
            y >= Math.floor((p * h) / rows) &&
            y < Math.ceil(((p + 1) * h) / rows) &&
            col >= Math.floor((q * w) / columns) &&
            col < Math.ceil(((q + 1) * w) / columns)
          );
        });
        return inside.length === 0
          ? 0
          : Math.max(...inside.map((at) => x[(owner! * channels + channel) * height * width + at]!));
      }),
    );
  });
  close(got!.data, want);
});

describe("of boxes that overlap, the better one", () => {
  const boxes: Given = [
    [1, 4, 4],
    [0, 0, 1, 1, 0, 0.1, 1, 1.1, 1, 10.9, 0, 9.9, 0, 10, 1, 11],
  ];
  const scores: Given = [
    [1, 2, 4],
    [0.9, 0.75, 0.6, 0.95, 0.2, 0.3, 0.9, 0.1],
  ];
  const scalar = (v: number): Given => [[1], [v]];
  const picked = (...rest: readonly Given[]): number[] =>
    run("NonMaxSuppression", [boxes, scores, ...rest], [], { known: upTo(2 + rest.length) })[0]!.data;
  test("each class by itself, corners in any order", () => {
    expect(picked(scalar(3), scalar(0.5))).toEqual([0, 0, 3, 0, 0, 0, 0, 1, 2, 0, 1, 1]);
  });
  test("at most so many, above a score", () => {
    expect(picked(scalar(1), scalar(0.5))).toEqual([0, 0, 3, 0, 1, 2]);
    expect(picked(scalar(3), scalar(0.5), scalar(0.92))).toEqual([0, 0, 3]);
    expect(picked()).toEqual([]);
  });
  test("middles with sizes", () => {
    const centred: Given = [
      [1, 2, 4],
      [0.5, 0.5, 1, 1, 0.6, 0.5, 1, 1],
    ];
    const [got] = run(
      "NonMaxSuppression",
      [
        centred,
        [
          [1, 1, 2],
          [0.3, 0.4],
        ],
        scalar(2),
        scalar(0.5),
      ],
      [{ name: "center_point_box", i: 1 }],
      { known: [0, 1, 2, 3] },
    );
    expect(got!.data).toEqual([0, 0, 1]);
  });
});
