/** @file Bytes and counts as the editor writes them: three significant figures at most, and a unit. */

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

const short = (value: number): string => value.toLocaleString("en-US", { maximumSignificantDigits: 3 });

/** `6 MiB` */
export function showBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${short(bytes / 1024 ** step)} ${units[step]}`;
}

/** `12.6M` */
export const showCount = (value: number): string =>
  value.toLocaleString("en-US", { notation: "compact", maximumSignificantDigits: 3 });
