/** @file Numbers as people read them: three significant figures at most, and always a unit. */

import { MOST_OF_A_TIME } from "../../fusion";

export { plural, showBytes, showFigures, showMicros } from "../../fusion";

// Making a formatter costs more than using it a hundred times.
const formatters = new Map<number, Intl.NumberFormat>();
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

function formatter(digits: number): Intl.NumberFormat {
  const known = formatters.get(digits);
  if (known) return known;
  const made = new Intl.NumberFormat("en-US", { maximumSignificantDigits: digits });
  formatters.set(digits, made);
  return made;
}

/** `12`, `3.45`, `0.0671`: three significant figures at most, no exponent in the usual range. */
export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e15) return scientific(value, Math.min(digits, 2));
  const rounded = Number(value.toPrecision(digits));
  return formatter(digits).format(rounded).replace("-", "−");
}

/** `3.1e-6`. */
export function scientific(value: number, digits = 2): string {
  if (value === 0) return "0";
  return value
    .toExponential(digits - 1)
    .replace("e+", "e")
    .replace(/\.0+e/, "e");
}

export interface Measure {
  readonly value: string;
  readonly unit: string;
}

/** Largest step of `steps` (ascending) that is not above `value`; the first when none is. */
function stepFor(value: number, steps: readonly (readonly [number, string])[]): readonly [number, string] {
  return steps.findLast(([from]) => Math.abs(value) >= from) ?? steps[0]!;
}

const KIB = 1024;
const byteSteps = [
  [1, "B"],
  [KIB, "KiB"],
  [KIB ** 2, "MiB"],
  [KIB ** 3, "GiB"],
  [KIB ** 4, "TiB"],
] as const;

/** Numbers of more digits than this are worth a larger unit. */
const MAX_PLAIN = 10_000;

/** One unit for values that are compared: that of the smallest, as long as the largest stays readable in it. */
function commonStep(all: readonly number[], steps: readonly (readonly [number, string])[]): readonly [number, string] {
  const some = all.filter((value) => value > 0);
  if (some.length === 0) return steps[0]!;
  const smallest = stepFor(Math.min(...some), steps);
  return steps.find((step) => step[0] >= smallest[0] && Math.max(...some) < MAX_PLAIN * step[0]) ?? steps.at(-1)!;
}

/** `<0.01`, `0.03`, else three significant figures: a short number beside larger ones of its unit. */
export function brief(value: number): string {
  if (value <= 0 || value >= 1) return significant(value);
  return value < 0.01 ? "<0.01" : significant(Number(value.toFixed(2)));
}

/** One unit for several byte counts, so that they compare. */
export function measureBytes(all: readonly number[], shown = significant): (bytes: number) => Measure {
  const [size, unit] = commonStep(all, byteSteps);
  return (bytes) => ({ value: shown(bytes / size), unit });
}

const microSteps = [
  [1e-3, "ns"],
  [1, "µs"],
  [1e3, "ms"],
  [1e6, "s"],
] as const;

/** One unit for several times in µs: µs for as long as `showMicros` writes the longest so. */
export function measureMicros(all: readonly number[], shown = significant): (micros: number) => Measure {
  const some = all.filter((micros) => micros > 0);
  const inMicros = some.length === 0 || (Math.min(...some) >= 1 && Math.max(...some) < MOST_OF_A_TIME);
  const [size, unit] = inMicros ? ([1, "µs"] as const) : commonStep(all, microSteps);
  return (micros) => ({ value: shown(micros / size), unit });
}

/** Times that are compared, in µs, as words in one unit. */
export function timesBeside(all: readonly number[]): (micros: number) => string {
  const measure = measureMicros(all);
  return (micros) => {
    const { value, unit } = measure(micros);
    return `${value} ${unit}`;
  };
}

const decimalSteps = [
  [1, ""],
  [1e3, "k"],
  [1e6, "M"],
  [1e9, "G"],
  [1e12, "T"],
  [1e15, "P"],
] as const;

/** `12.6 M` for counts and rates in decimal steps; the caller adds the unit: `1.02 TFLOP/s`. */
export function decimal(value: number, unit: string): string {
  const [size, prefix] = stepFor(value, decimalSteps);
  const shown = significant(value / size);
  return `${shown} ${prefix}${unit}`.trimEnd();
}

/** `1,240`: a whole count in full. */
export const count = (value: number): string => whole.format(value);
