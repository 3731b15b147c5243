/** @file Quantities with their unit, spelled one way wherever a person reads them: three significant figures, no trailing zeros. */

/** Whole from a thousand on, three figures below; without `Intl`, which is slow in bulk. */
export const showFigures = (value: number): string =>
  showCount(Math.abs(value) >= 999.5 ? Math.round(value) : Number(value.toPrecision(3))).replace("-", "−");

/** `base` of the next unit; a value moves on as soon as it would be written with as many figures as `base` has. */
function scaled(value: number, base: number, units: readonly string[]): string {
  let rest = value;
  let at = 0;
  while (Math.abs(rest) >= base - 0.5 && at < units.length - 1) {
    rest /= base;
    at++;
  }
  return `${showFigures(rest)} ${units[at]!}`;
}

/** `12 MiB`, `6.01 KiB`, `512 B`. */
export const showBytes = (bytes: number): string => scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);

/** Whether the first are fewer bytes by what is worth a word: more than a hundredth, which three figures always show. */
export const clearlyLess = (bytes: number, than: number): boolean => bytes < 0.99 * than;

/** Times stay in µs, or in ms, up to this many, alone and beside shorter ones: a decision and the score then say the same number. */
export const MOST_OF_A_TIME = 10_000;

/** `67.1 µs`, `1,510 µs`, `12 ms`, `8.19 ns`; takes µs. */
export function showMicros(micros: number): string {
  if (micros === 0) return "0 µs";
  const size = Math.abs(micros);
  if (size < 0.9995) return scaled(micros * 1000, 1000, ["ns", "µs"]);
  const [unit, of] =
    (
      [
        ["µs", 1],
        ["ms", 1e3],
      ] as const
    ).find(([, each]) => size < (MOST_OF_A_TIME - 0.5) * each) ?? (["s", 1e6] as const);
  return `${showFigures(Number((micros / of).toPrecision(3)))} ${unit}`;
}

/** `12.6 MFLOP`. */
export const showFlops = (flops: number): string => scaled(flops, 1000, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"]);

/** `1,240`: a count with its thousands apart. */
export const showCount = (count: number): string => {
  const [whole, fraction] = String(count).split(".");
  const grouped = whole!.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
};

/** Names in backticks, types in brackets, shapes, and numbers of four digits or more. */
const LONG_NUMBERS = /`[^`]*`|\[[^\]]*\]|\d+(?:×\d+)+|(?<![\w.])\d{4,}(?![\w])/g;

/** A sentence with the thousands of its counts apart; names, types and shapes stay as they are written. */
export const groupedCounts = (text: string): string =>
  text.replaceAll(LONG_NUMBERS, (found) => (/^\d+$/.test(found) ? showCount(Number(found)) : found));

/** `12 ops`, `1 op`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${showCount(count)} ${count === 1 ? one : many}`;
