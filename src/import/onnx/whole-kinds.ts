/** @file Kinds of whole numbers that are narrower than i32, or unsigned, and the i32 that stands for each number. */
export type WholeKind = "u8" | "i8" | "u16" | "i16" | "u32";

export const BITS: Readonly<Record<WholeKind, number>> = { u8: 8, i8: 8, u16: 16, i16: 16, u32: 32 };
export const isUnsigned = (kind: WholeKind): boolean => kind.startsWith("u");
/** The least and the greatest number of a kind. */
export function rangeOf(kind: WholeKind): readonly [low: number, high: number] {
  const size = 2 ** BITS[kind];
  return isUnsigned(kind) ? [0, size - 1] : [-size / 2, size / 2 - 1];
}
/** A number of this kind as the i32 that stands for it; what doesn't fit wraps. */
export function toWhole(kind: WholeKind, value: number): number {
  const away = 32 - BITS[kind];
  return isUnsigned(kind) && away > 0 ? ((value << away) >>> away) | 0 : (value << away) >> away;
}
/** The number that an i32 of this kind stands for. */
export const fromWhole = (kind: WholeKind | undefined, value: number): number => (kind === "u32" ? value >>> 0 : value);
