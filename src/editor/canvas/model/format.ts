/** @file Numbers as the canvas writes them: three significant figures at most, always a unit. */

export { showBytes, showMicros } from "../../../fusion";

/** Literals in formulas: `0.5`, `1e-5`. */
export const showNumber = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 0.001
    ? String(Number(value.toPrecision(4)))
    : value.toExponential().replace("e+", "e");

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

/** Rough width of text in px, for fitting only: the browser has the last word. */
export const textWidth = (text: string, px = 13, mono = false): number => text.length * px * (mono ? 0.58 : 0.54);
