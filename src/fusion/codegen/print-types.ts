/** @file Types of a kernel as WGSL text. */
import type { DType } from "../ir";
import type { Scalar, Width } from "./kernel-ir";

/** Four neighbours as one value. */
export const VECTOR: Readonly<Record<Scalar, string>> = {
  f32: "vec4f",
  f16: "vec4h",
  i32: "vec4i",
  bool: "vec4<bool>",
  key: "vec4i",
};
export const SCALAR: Readonly<Record<Scalar, DType>> = { f32: "f32", f16: "f16", i32: "i32", bool: "bool", key: "i32" };
export const typeText = (scalar: Scalar, width: Width): string => (width === 4 ? VECTOR[scalar] : SCALAR[scalar]);
/** bool is stored as u32, f16 as f16. */
export const storedType = (dtype: DType, width: Width): string => {
  if (dtype === "bool") return width === 4 ? "vec4u" : "u32";
  return typeText(dtype, width);
};
