/** @file Where maxima and minima start, and the largest finite values of a dtype. */
import type { DType } from "../ir";

export const LARGEST_F32 = 3.4028234663852886e38;

/** Not above any value of the dtype (but −∞). */
export const smallestOf = (dtype: DType): number =>
  dtype === "i32" ? -2147483648 : dtype === "bool" ? 0 : dtype === "f16" ? -65504 : -LARGEST_F32;
/** Not below any value of the dtype (but +∞). */
export const largestOf = (dtype: DType): number =>
  dtype === "i32" ? 2147483647 : dtype === "bool" ? 1 : dtype === "f16" ? 65504 : LARGEST_F32;

/** Below every value: a fold that starts here answers −∞ for rows of −∞, as masks make them, and for no row at all. */
export const BELOW_ALL = (dtype: DType): number => (dtype === "f32" || dtype === "f16" ? -Infinity : smallestOf(dtype));
/** Above every value. */
export const ABOVE_ALL = (dtype: DType): number => (dtype === "f32" || dtype === "f16" ? Infinity : largestOf(dtype));
