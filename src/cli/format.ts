/** @file Numbers and columns for people at a terminal. */
import { showMicros } from "../fusion";

export { plural } from "../fusion";

/** `12.6 MFLOP`. */
export function flopsText(flops: number): string {
  const units = ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"];
  let [value, unit] = [flops, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit]}`;
}

/** `13.9 µs`, `1.2 ms`; takes nanoseconds. */
export const timeText = (nanos: number): string => showMicros(nanos / 1000);

/** Rows as left-aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
