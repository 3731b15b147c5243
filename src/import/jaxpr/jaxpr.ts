/** @file JAX programs as data: equations over named values, as `jax.make_jaxpr` prints them, written out in JSON. */
import type { DType } from "../../fusion";
import type { HostTensor } from "../onnx/tensor";

export interface Typed {
  readonly shape: readonly number[];
  readonly dtype: string;
}
/** Numbers of a tensor, nested or flat; infinities and NaN as words. */
export interface JaxTensor extends Typed {
  readonly data: unknown;
}
interface Variable extends Typed {
  readonly name: string;
}
/** A value by its name, or its numbers. */
export type Operand = string | { readonly lit: JaxTensor };
/** As written by JAX; each primitive knows its own. */
export type Params = Readonly<Record<string, unknown>>;

export interface JaxEquation {
  readonly prim: string;
  readonly in: readonly Operand[];
  readonly out: readonly Variable[];
  readonly params: Params;
}
export interface Jaxpr {
  readonly consts: readonly (Variable & { readonly value?: JaxTensor })[];
  readonly in: readonly Variable[];
  readonly eqns: readonly JaxEquation[];
  readonly out: readonly Operand[];
}

const DTYPES: Readonly<Record<string, DType>> = {
  float32: "f32",
  float64: "f32",
  float16: "f16",
  int32: "i32",
  int64: "i32",
  bool: "bool",
};

/** Our dtype for one of JAX's; null where there is none. Doubles narrow to f32, 64-bit integers to i32. */
export const dtypeOf = (name: string): DType | null => DTYPES[name] ?? null;

const numberOf = (value: unknown): number =>
  typeof value === "string" ? Number(value.replace(/^([+-]?)inf(inity)?$/i, "$1Infinity")) : Number(value);

/** A list of numbers as JSON holds it: NumPy's own come as words. */
export const numbersIn = (value: unknown): number[] =>
  (Array.isArray(value) ? value.flat(Infinity) : value === null || value === undefined ? [] : [value]).map(numberOf);

/** A tensor's numbers, or null where its dtype is none of ours. */
export function tensorOf({ shape, dtype, data }: JaxTensor): HostTensor | null {
  const known = dtypeOf(dtype);
  return known && { dtype: known, dims: shape, data: Float64Array.from(numbersIn(data)), wide: dtype === "int64" };
}

/** A jaxpr, or what closes one together with its constants. */
export function jaxprIn(value: unknown): Jaxpr | null {
  if (typeof value !== "object" || value === null) return null;
  const outer = value as { readonly jaxpr?: unknown; readonly eqns?: unknown };
  if (Array.isArray(outer.eqns)) return value as Jaxpr;
  return outer.jaxpr === undefined ? null : jaxprIn(outer.jaxpr);
}
