/** @file Writing WGSL scalars: types, literals and conversions for one width. */
import type { DType } from "../ir";
import type { WgslType } from "./define";

const SCALAR: Readonly<Record<DType, string>> = { f32: "f32", f16: "f16", i32: "i32", bool: "bool" };
const VECTOR: Readonly<Record<DType, string>> = { f32: "vec4f", f16: "vec4h", i32: "vec4i", bool: "vec4<bool>" };

/** Where a WGSL literal ends: what is written larger is refused, even if it would round to this. */
const LARGEST_F32 = 3.4028234663852886e38;

/** The shortest decimal that is this f32, always with a point or an exponent: 2 → `2.0`, 0.1 → `0.1`, 1e-7 → `1e-7`. */
export function floatLiteral(value: number): string {
  const rounded = Math.fround(value);
  let text = String(rounded);
  for (let digits = 1; digits <= 9; digits++) {
    const short = Number(rounded.toPrecision(digits));
    if (Math.fround(short) !== rounded || Math.abs(short) > LARGEST_F32) continue;
    text = String(short);
    break;
  }
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** ∞ and NaN have no WGSL literal: their bits go through `from_bits`, whose argument no compiler front end folds. */
function literal(value: number, dtype: DType, call: (helper: string, ...args: string[]) => string): string {
  if (dtype === "bool") return value === 0 ? "false" : "true";
  if (dtype === "i32") return value === -2147483648 ? "i32(-2147483648)" : String(Math.trunc(value));
  const rounded = Math.fround(value);
  if (Number.isNaN(rounded)) return call("from_bits", "0x7fc00000u");
  if (!Number.isFinite(rounded)) return call("from_bits", rounded > 0 ? "0x7f800000u" : "0xff800000u");
  return floatLiteral(rounded);
}

/**
 * How scalars of one dtype and width are written.
 * @param result dtype of the op's result
 * @param operand dtype of its literals; the result's unless it is a comparison
 */
export function wgslType(result: DType, width: 1 | 4, operand: DType = result): WgslType {
  const call = (helper: string, ...args: string[]): string => `${helper}${width === 4 ? "4" : ""}(${args.join(", ")})`;
  return {
    type: width === 4 ? VECTOR[result] : SCALAR[result],
    call,
    num(value) {
      const text = literal(value, operand, call);
      return width === 1 || text.startsWith("from_bits") ? text : `${VECTOR[operand]}(${text})`;
    },
  };
}

/** The WGSL text that turns a value of one dtype into another; the value itself when there is nothing to do. */
export const convert = (value: string, from: DType, to: DType, width: 1 | 4): string =>
  from === to ? value : `${(width === 4 ? VECTOR : SCALAR)[to]}(${value})`;

export const isInteger = (t: WgslType): boolean => t.type === "i32" || t.type === "vec4i" || t.type === "vec4<i32>";
export const isTruth = (t: WgslType): boolean => t.type.includes("bool");
export const isVector = (t: WgslType): boolean => t.type.startsWith("vec4");
/** `u32` or `vec4u`. */
export const unsignedType = (t: WgslType): string => (isVector(t) ? "vec4u" : "u32");
/** An unsigned literal of the operand's width: `7u` or `vec4u(7u)`. */
export const unsigned = (value: string, t: WgslType): string => (isVector(t) ? `vec4u(${value})` : value);
/** `bitcast<u32>(x)` without the sign bit. */
export const magnitudeBits = (x: string, t: WgslType): string =>
  `(bitcast<${unsignedType(t)}>(${x}) & ${unsigned("0x7fffffffu", t)})`;

/** Opens a helper: `fn erf4(x: vec4f) -> vec4f`. */
export const signature = (t: WgslType, name: string, ...params: string[]): string =>
  `fn ${t.call(name, ...params.map((param) => `${param}: ${t.type}`))} -> ${t.type}`;
