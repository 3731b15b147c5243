/** @file Strings with values in them, and dictionaries, whose keys are strings. */
import type { Interpreter } from "../interpreter";
import type { DictExpr, FormatExpr } from "./syntax";
import { describe, isBroken, type Operand, type Value } from "../values/values";

/** How Python prints a value that is known; null of one that is not. */
export function printed(value: Value): string | null {
  if (value.kind === "number") return `${value.value}`;
  if (value.kind === "string") return value.value;
  if (value.kind === "bool") return value.value ? "True" : "False";
  return value.kind === "none" ? "None" : null;
}

/** `f"layer{i}"`; what is not known stands as … in it, as in a message that nobody compares. */
export function formatted({ pieces }: FormatExpr, operands: readonly Operand[]): Value {
  let next = 0;
  const texts = pieces.map((piece) => (typeof piece === "string" ? piece : (printed(operands[next++]!.value) ?? "…")));
  return { kind: "string", value: texts.join("") };
}

/** The text that `operand` names an entry by; whole numbers are such keys too. Null after a diagnostic. */
export function dictKey(interpreter: Interpreter, { value, expr }: Operand): string | null {
  if (value.kind === "string") return value.value;
  if (value.kind === "number" && value.whole) return `${value.value}`;
  if (!isBroken(value))
    interpreter.diagnostics.add(
      "bad-key",
      expr!.span,
      `A key is a text or a whole number; this is ${describe(value)}.`,
    );
  return null;
}

/** Entries by their keys; operands are all keys that are written, then all values. */
export function dictOf(interpreter: Interpreter, { keys }: DictExpr, operands: readonly Operand[]): Value {
  const entries = new Map<string, Operand>();
  const values = operands.slice(operands.length - keys.length);
  let next = 0;
  keys.forEach((key, i) => {
    const operand = values[i]!;
    const text = key ? dictKey(interpreter, operands[next++]!) : null;
    if (text !== null) entries.set(text, operand);
    else if (!key && operand.value.kind === "dict")
      for (const [each, entry] of operand.value.entries) entries.set(each, entry);
    else if (!key && !isBroken(operand.value))
      interpreter.diagnostics.add(
        "bad-key",
        operand.expr!.span,
        `Only a dictionary has entries; this is ${describe(operand.value)}.`,
      );
  });
  return { kind: "dict", entries };
}
