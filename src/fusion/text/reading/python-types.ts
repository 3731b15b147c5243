/** @file Annotations as people's code has them: `x: torch.Tensor`, `dim: int`, `mask: Optional[Array]`. What they tell a reader that needs sizes. */
import { DTYPES } from "../calls/names";
import type { Expr } from "./syntax";
import { bare, walk } from "./syntax";

/** What a parameter holds: a tensor, or something that is known before the graph runs. */
export type AnnotatedKind = "tensor" | "whole" | "number" | "flag" | "text" | "sizes" | "other";

const TENSOR = /Tensor$|Array(Like)?$|ndarray$|^Float$|^Num$|^Shaped$|^Int$|^Inexact$/;
const LIST = /^(tuple|list|sequence|iterable|size|shape)$/i;
const PLAIN: ReadonlyMap<string, AnnotatedKind> = new Map([
  ["int", "whole"],
  ["float", "number"],
  ["bool", "flag"],
  ["str", "text"],
]);

function headOf(expr: Expr): Expr {
  let head = expr;
  while (head.kind === "subscript") head = bare(head.object);
  return head;
}

/** What an annotation of Python says; null where it is a type of this language, `f32[8, 64]`, or a slip in one. */
export function annotatedKind(annotation: Expr): AnnotatedKind | null {
  const expr = bare(annotation);
  const head = headOf(expr);
  if (expr.kind === "string") return TENSOR.test(expr.value) ? "tensor" : "other";
  if (expr.kind !== "binary" && head.kind === "name") {
    const known = DTYPES.has(head.name) && (expr.kind === "subscript" || !PLAIN.has(head.name));
    const python =
      PLAIN.has(head.name) ||
      LIST.test(head.name) ||
      /^[A-Z]/.test(head.name) ||
      head.name === "dict" ||
      head.name === "object";
    if (known || !python) return null;
  } else if (expr.kind !== "binary" && head.kind !== "member") return null;
  const words = [...walk(expr)].flatMap((each) =>
    each.kind === "name" ? [each.name] : each.kind === "member" ? [each.name.text] : [],
  );
  if (words.some((word) => TENSOR.test(word))) return "tensor";
  if (
    words.some((word) => LIST.test(word)) &&
    words.includes("int") &&
    !words.some((word) => word === "Union" || word === "Optional")
  )
    return "sizes";
  const plain = words.find((word) => PLAIN.has(word));
  return plain === undefined ? "other" : PLAIN.get(plain)!;
}

/** Whether an annotation says that None will do. */
export const mayBeNone = (annotation: Expr): boolean =>
  [...walk(annotation)].some((each) => each.kind === "none" || (each.kind === "name" && each.name === "Optional"));
