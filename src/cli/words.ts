/** @file Numbers and columns for people at a terminal. */

/** `1.50 MiB`, `12.0 KiB`, `48 B`. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [value, unit] =
    bytes >= 2 ** 30 ? [bytes / 2 ** 30, "GiB"] : bytes >= 2 ** 20 ? [bytes / 2 ** 20, "MiB"] : [bytes / 1024, "KiB"];
  return `${value >= 1000 ? Math.round(value) : value.toPrecision(3)} ${unit}`;
}

/** `12.6 MFLOP`. */
export function flopsText(flops: number): string {
  const units = ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"];
  let [value, unit] = [flops, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit]}`;
}

/** `13.9 µs`, `1.20 ms`. */
export function timeText(nanos: number): string {
  if (nanos < 1e6) return `${(nanos / 1e3).toPrecision(3)} µs`;
  return nanos < 1e9 ? `${(nanos / 1e6).toPrecision(3)} ms` : `${(nanos / 1e9).toPrecision(3)} s`;
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

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
