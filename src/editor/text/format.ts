/** @file Counts as the editor writes them. */

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/** `12.6M` */
export const showCount = (value: number): string => compact.format(value);
