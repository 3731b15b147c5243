/** @file What a program returns: tensors are its results, and whatever else stands beside them is none. */
import type { NodeId } from "../../ir";
import type { Interpreter } from "../interpreter";
import { fieldsOf } from "../objects/inheritance";
import { describe, isBroken, type Operand, type Value } from "./values";

/** Tensors in lists, dictionaries and the fields of records, in order. */
export function tensorsIn(value: Value): readonly NodeId[] {
  if (value.kind === "tensor") return [value.node];
  if (value.kind === "sequence") return value.items.flatMap((item) => tensorsIn(item.value));
  if (value.kind === "dict") return [...value.entries.values()].flatMap((item) => tensorsIn(item.value));
  return (fieldsOf(value) ?? []).flatMap(tensorsIn);
}

/** Whether nothing in it is a tensor, or may yet be one. */
const isPlain = (value: Value): boolean =>
  value.kind === "sequence"
    ? value.items.length > 0 && value.items.every((item) => isPlain(item.value))
    : value.kind !== "tensor" && value.kind !== "dict" && !isBroken(value) && (fieldsOf(value)?.every(isPlain) ?? true);

/** Tells what is returned and is no tensor: beside tensors it is passed over, and alone it is a mistake. */
export function tellPlain({ diagnostics }: Interpreter, operands: readonly Operand[]): void {
  const isAlone = operands.every(({ value }) => tensorsIn(value).length === 0);
  for (const { value, expr } of operands) {
    if (!expr || !isPlain(value) || expr.kind === "none") continue;
    const of = describe(value);
    if (value.kind === "none")
      diagnostics.add("bad-return", expr.span, "This is None: it is no result.", { severity: "warning" });
    else if (isAlone) diagnostics.add("bad-return", expr.span, `Only tensors can be results; this is ${of}.`);
    else
      diagnostics.add("bad-return", expr.span, `This is ${of}, no tensor: it is no result.`, { severity: "warning" });
  }
}
