/** @file How a stored value is rounded: not at all in f64, to its dtype in f32; integers wrap, bools are 0 or 1. */
import type { DType } from "../ir";
import { roundToHalf } from "../ops";

/** `f64`: real arithmetic as far as JavaScript has it. `f32`: every value is rounded to its dtype, to tell rounding from bugs. */
export type Precision = "f64" | "f32";
export type Round = (value: number) => number;

const same: Round = (value) => value;
const whole: Round = (value) => value | 0;
const truth: Round = (value) => (value === 0 ? 0 : 1);

export function roundingOf(dtype: DType, precision: Precision): Round {
  if (dtype === "i32") return whole;
  if (dtype === "bool") return truth;
  if (precision === "f64") return same;
  return dtype === "f16" ? roundToHalf : Math.fround;
}
