/** @file What the counter knows of a value without running it: whole numbers and truth are followed, all else is data. */
import type { Type } from "wgsl_reflect";
import { ArrayType, TemplateType } from "wgsl_reflect/wgsl_reflect.module.js";

/** `int`: a whole number without a type yet. `data`: nothing that an address may depend on. */
export type Kind = "u32" | "i32" | "int" | "bool" | "data";

export interface Shape {
  readonly kind: Kind;
  /** Components; 1 for a scalar. */
  readonly lanes: number;
}

export const DATA: Shape = { kind: "data", lanes: 1 };

const SCALARS: Readonly<Record<string, Kind>> = { u32: "u32", i32: "i32", x32: "int", bool: "bool" };
const LETTERS: Readonly<Record<string, Kind>> = { u: "u32", i: "i32" };

/** The shape of a declared type. */
export function shapeOfType(type: Type | null): Shape {
  if (!type) return DATA;
  const scalar = SCALARS[type.name];
  if (scalar) return { kind: scalar, lanes: 1 };
  const vector = /^vec([234])([uifh])?$/.exec(type.name);
  if (!vector) return DATA;
  const inner = vector[2]
    ? LETTERS[vector[2]]
    : type instanceof TemplateType
      ? SCALARS[type.format?.name ?? ""]
      : undefined;
  return inner ? { kind: inner, lanes: Number(vector[1]) } : DATA;
}

/** Bytes of one element of a storage type and how many words of its own it has; null where it is none the counter reads. */
export function elementOf(
  type: Type | null,
): { readonly bytes: number; readonly lanes: number; readonly isArray: boolean } | null {
  if (!type) return null;
  const isArray = type instanceof ArrayType;
  const inner = isArray ? type.format : type;
  if (!inner) return null;
  const plain = inner instanceof TemplateType && inner.name === "atomic" ? inner.format : inner;
  const scalar = plain?.name === "f16" ? 2 : plain && (plain.name === "f32" || SCALARS[plain.name]) ? 4 : null;
  if (scalar !== null) return { bytes: scalar, lanes: 1, isArray };
  const vector = /^vec([234])([uifh])?$/.exec(plain?.name ?? "");
  if (!vector) return null;
  const half = vector[2] === "h" || (plain instanceof TemplateType && plain.format?.name === "f16");
  const lanes = Number(vector[1]);
  return { bytes: (lanes === 3 ? 4 : lanes) * (half ? 2 : 4), lanes, isArray };
}

/** The shape of `a op b`. */
export function joined(a: Shape, b: Shape): Shape {
  if (a.kind === "data" || b.kind === "data") return DATA;
  const kind = a.kind === "int" ? b.kind : a.kind;
  return { kind, lanes: Math.max(a.lanes, b.lanes) };
}

/** `value` as it is stored in a variable of `kind`. */
export function wrapped(kind: Kind, value: number): number {
  return kind === "u32" ? value >>> 0 : kind === "i32" ? value | 0 : value;
}
