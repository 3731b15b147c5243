/** @file Digits of 8 × 8 pixels, drawn: strokes on a unit square, bent a little differently for each example. */
import { labelPart, normal, numbersOfExample, type DataPart, type DataSet } from "./define";

const EXAMPLES = 1024;
const SIDE = 8;
const STREAM = 2;

type Point = readonly [number, number];

const arc = (cx: number, cy: number, rx: number, ry: number, from: number, to: number): Point[] =>
  Array.from({ length: 9 }, (_, i): Point => {
    const angle = ((from + ((to - from) * i) / 8) * Math.PI) / 180;
    return [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)];
  });

/** The strokes of each digit; x to the right, y down, both from 0 to 1. */
const STROKES: readonly (readonly (readonly Point[])[])[] = [
  [arc(0.5, 0.5, 0.28, 0.4, 0, 360)],
  [
    [
      [0.35, 0.25],
      [0.55, 0.1],
      [0.55, 0.9],
    ],
  ],
  [[...arc(0.5, 0.32, 0.26, 0.22, 190, 390), [0.25, 0.9], [0.78, 0.9]]],
  [arc(0.45, 0.3, 0.28, 0.2, 200, 450), arc(0.45, 0.7, 0.3, 0.2, -90, 160)],
  [
    [
      [0.62, 0.9],
      [0.62, 0.1],
      [0.2, 0.62],
      [0.82, 0.62],
    ],
  ],
  [[[0.75, 0.1], [0.32, 0.1], [0.28, 0.45], ...arc(0.48, 0.65, 0.28, 0.24, -110, 150)]],
  [[[0.66, 0.1], [0.36, 0.4], ...arc(0.5, 0.67, 0.24, 0.22, 190, 540)]],
  [
    [
      [0.22, 0.1],
      [0.78, 0.1],
      [0.42, 0.9],
    ],
  ],
  [arc(0.5, 0.3, 0.2, 0.19, 90, 450), arc(0.5, 0.7, 0.25, 0.21, -90, 270)],
  [[...arc(0.5, 0.33, 0.24, 0.22, 0, 350), [0.74, 0.33], [0.6, 0.9]]],
];

/** How far a point lies from the line between two others. */
function distance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

/** A small turn, another size and slant, and another position: how one hand writes a digit twice. */
function bentBy(next: () => number): (point: Point) => Point {
  const [angle, slant] = [0.1 * normal(next), 0.12 * normal(next)];
  const [wide, high] = [1 + 0.08 * normal(next), 1 + 0.06 * normal(next)];
  const [right, down] = [0.05 * normal(next), 0.04 * normal(next)];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return ([x, y]) => {
    const [u, v] = [(x - 0.5) * wide + slant * (0.5 - y), (y - 0.5) * high];
    return [0.5 + right + u * cos - v * sin, 0.5 + down + u * sin + v * cos];
  };
}

/** The 64 pixels of example `index`, row by row from the top: 0 is paper, 1 is ink. */
function draw(index: number, seed: number): Float32Array {
  const next = numbersOfExample(seed, STREAM, index);
  const bent = bentBy(next);
  const width = 0.09 + 0.03 * next();
  const strokes = STROKES[digitOf(index)]!.map((points) => points.map(bent));
  return Float32Array.from({ length: SIDE * SIDE }, (_, pixel) => {
    const at: Point = [((pixel % SIDE) + 0.5) / SIDE, (Math.floor(pixel / SIDE) + 0.5) / SIDE];
    let nearest = Infinity;
    for (const points of strokes)
      for (let i = 1; i < points.length; i++) nearest = Math.min(nearest, distance(at, points[i - 1]!, points[i]!));
    const ink = Math.max(0, Math.min(1, 1.5 - nearest / width));
    return Math.max(0, Math.min(1, ink + 0.08 * normal(next)));
  });
}

const digitOf = (index: number): number => index % STROKES.length;

const drawn = new Map<number, (Float32Array | undefined)[]>();

/** As `draw`, each example once. */
function pixelsOf(index: number, seed: number): Float32Array {
  let known = drawn.get(seed);
  if (!known) {
    // One seed is used at a time.
    drawn.clear();
    drawn.set(seed, (known = []));
  }
  return (known[index] ??= draw(index, seed));
}

const images: DataPart = {
  name: "images",
  dtype: "f32",
  shapes: "[64], [8, 8] or [1, 8, 8]",
  usual: [[64], [8, 8], [1, 8, 8]],
  fits: (shape) => ["64", "8,8", "1,8,8"].includes(shape.join()),
  read(out, at, index, _shape, seed) {
    const pixels = pixelsOf(index, seed);
    for (let i = 0; i < pixels.length; i++) out[at + i] = pixels[i]!;
  },
};

/** 1,024 drawn digits of 8 × 8 pixels between 0 and 1; the label is the digit. */
export const digits: DataSet = {
  name: "digits",
  sentence: "1,024 digits of 8 × 8 pixels, drawn by strokes; the label is the digit.",
  view: "images",
  examples: EXAMPLES,
  classes: STROKES.length,
  parts: [images, labelPart(digitOf)],
};
