/** @file Bytes and counts as the editor writes them: three significant figures at most, and a unit. */

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

// Making a formatter costs more than using it a hundred times.
const plain = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/** `6 MiB` */
export function showBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${plain.format(bytes / 1024 ** step)} ${units[step]}`;
}

/** `12.6M` */
export const showCount = (value: number): string => compact.format(value);
