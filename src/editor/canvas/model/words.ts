/** @file Numbers as the canvas writes them: three significant figures at most, always a unit. */

/** Whole numbers below 10,000 or three figures; without the browser's number formatter, which is slow in bulk. */
const significant = (value: number): string =>
  String(Math.abs(value) >= 999.5 ? Math.round(value) : Number(value.toPrecision(3))).replace("-", "−");

function scaled(value: number, base: number, units: readonly string[]): string {
  let rest = value;
  let at = 0;
  while (Math.abs(rest) >= base && at < units.length - 1) {
    rest /= base;
    at++;
  }
  return `${significant(rest)} ${units[at]!}`;
}

/** `6 MiB`, `512 B`. */
export const showBytes = (bytes: number): string => scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);

/** `41 µs`, `15.8 ms`; takes µs. */
export const showMicros = (micros: number): string =>
  micros !== 0 && Math.abs(micros) < 1 ? `${significant(micros * 1000)} ns` : scaled(micros, 1000, ["µs", "ms", "s"]);

/** Literals in formulas: `0.5`, `1e-5`. */
export const showNumber = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 0.001
    ? String(Number(value.toPrecision(4)))
    : value.toExponential().replace("e+", "e");

export const plural = (count: number, one: string): string =>
  `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;

/** Rough width of text in px, for fitting only: the browser has the last word. */
export const textWidth = (text: string, px = 13, mono = false): number => text.length * px * (mono ? 0.58 : 0.54);
