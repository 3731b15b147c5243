/** @file Constants of a program that its sizes are made of, and sizes to ask about. */

/** Whole numbers that the text names at its left edge, in text order: `N = 2048`. */
export const constantsOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...text.matchAll(/^([A-Za-z_]\w*) *= *(\d+) *(?:#.*)?$/gm)].map(([, name, value]) => [name!, Number(value)]),
  );

/** Sizes are asked about at these multiples of the one that is written. */
const MULTIPLES = [0.25, 0.5, 1, 2, 4];

/** Ascending, each once. */
export const sizesAround = (written: number): readonly number[] => [
  ...new Set(MULTIPLES.map((times) => Math.max(1, Math.round(written * times)))),
];
