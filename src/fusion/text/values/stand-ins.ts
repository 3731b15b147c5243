/** @file Types that shaders don't have, and the one that stands in for each. */
import type { DType, Span } from "../../ir";
import type { Interpreter } from "../interpreter";

const STAND_INS: ReadonlyMap<string, DType> = new Map([
  ["double", "f32"],
  ["float64", "f32"],
  ["f64", "f32"],
  ["bfloat16", "f32"],
  ["bf16", "f32"],
  ...["int8", "uint8", "int16", "uint16", "uint32", "uint64", "char", "byte", "short"].map(
    (name) => [name, "i32"] as const,
  ),
]);

/** The type that is computed with instead of `type`, which is told; null where there is none. */
export function standInFor({ diagnostics }: Interpreter, span: Span, type: string): DType | null {
  const dtype = STAND_INS.get(type) ?? null;
  const text = `GPU kernels here have no ${type}: this is computed and stored as ${dtype}.`;
  if (dtype) diagnostics.add("stand-in-type", span, text, { severity: "warning" });
  return dtype;
}
