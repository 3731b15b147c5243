/** @file The dtype that a name means: PyTorch's and NumPy's spellings beside our own. */
import type { Attrs, DType } from "../ir";
import type { Param } from "./define";
import { wrong, type Failed } from "./shapes";

const NAMED: ReadonlyMap<unknown, DType> = new Map([
  ["f32", "f32"],
  ["float32", "f32"],
  ["float", "f32"],
  ["f16", "f16"],
  ["float16", "f16"],
  ["half", "f16"],
  ["i32", "i32"],
  ["int32", "i32"],
  ["int", "i32"],
  ["long", "i32"],
  ["bool", "bool"],
]);

/** Of a `dtype` attribute; undefined where it names none. */
export const dtypeNamed = (attrs: Attrs): DType | undefined => NAMED.get(attrs["dtype"]);

export const unknownDtype = (attrs: Attrs): Failed =>
  wrong("bad-attr", `There is no dtype ${JSON.stringify(attrs["dtype"])}; the dtypes are f32, f16, i32 and bool.`);

/** `dtype=`, which may be left out. */
export const optionalDtype = (doc: string): Param => ({ names: ["dtype"], kind: "dtype", default: null, doc });

/** Refuses a dtype that is named but unknown. */
export const checkDtype = (attrs: Attrs): Failed | null =>
  attrs["dtype"] === undefined || attrs["dtype"] === null || dtypeNamed(attrs) !== undefined
    ? null
    : unknownDtype(attrs);
