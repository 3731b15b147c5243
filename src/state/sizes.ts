/** @file Constants of a program that its sizes are made of. */

/** Whole numbers that the text names at its left edge, in text order: `N = 2048`. */
export const constantsOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...text.matchAll(/^([A-Za-z_]\w*) *= *(\d+) *(?:#.*)?$/gm)].map(([, name, value]) => [name!, Number(value)]),
  );
