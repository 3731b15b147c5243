/** @file Numbers as the canvas writes them: three significant figures at most, always a unit. */

export { plural, showBytes, showFigures, showMicros } from "../fusion";

/** Literals in formulas: `0.5`, `1e-5`. */
export const showNumber = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 0.001
    ? String(Number(value.toPrecision(4)))
    : value.toExponential().replace("e+", "e");

/** Rough width of text in px, for fitting only: the browser has the last word. */
export const textWidth = (text: string, px = 13, mono = false): number => text.length * px * (mono ? 0.58 : 0.54);
