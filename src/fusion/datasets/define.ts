/** @file What a data set is: examples that are functions of their number and a seed, so that every machine has the same ones. */
import type { DType } from "../ir";
import { philox } from "../ops";

/** One tensor of a data set's examples: `points`, `labels`. */
export interface DataPart {
  readonly name: string;
  readonly dtype: DType;
  /** What one example looks like, in words: `[2]`. */
  readonly shapes: string;
  /** Shapes that examples are read in, the likeliest first, each one that fits. */
  readonly usual: readonly (readonly number[])[];
  /** Whether an example can be read in this shape, the batch's axis left out. */
  fits(shape: readonly number[]): boolean;
  /** Writes example `index` to `out` from `at` on, row by row in `shape`. */
  read(out: Record<number, number>, at: number, index: number, shape: readonly number[], seed: number): void;
}

export interface DataSet {
  readonly name: string;
  /** What it is, one sentence. */
  readonly sentence: string;
  readonly examples: number;
  /** How its examples are looked at: points of a plane, square images, written text. */
  readonly view: "plane" | "images" | "text";
  /** Values that a label has, from 0 on. */
  readonly classes: number;
  /** The first is what a program sees; the second, what it should answer. */
  readonly parts: readonly [DataPart, DataPart];
}

/**
 * Random numbers of one example: uniform over [0, 1), the same on every machine.
 * @param stream keeps the numbers of one purpose apart from those of another
 */
export function numbersOfExample(seed: number, stream: number, index: number): () => number {
  const words = new Uint32Array(4);
  let used = 0;
  return () => {
    if (used % 4 === 0) philox([used / 4, index, 0, 0], [seed >>> 0, stream], words);
    return words[used++ % 4]! / 2 ** 32;
  };
}

/** A number of mean 0 and variance 1 from two uniform ones. Box and Muller 1958. */
export const normal = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/** The part `labels`: one whole number for each example, from 0 on. */
export const labelPart = (labelOf: (index: number) => number): DataPart => ({
  name: "labels",
  dtype: "i32",
  shapes: "no axis",
  usual: [[]],
  fits: (shape) => shape.length === 0,
  read(out, at, index) {
    out[at] = labelOf(index);
  },
});
