/** @file Texts with values in them, and dictionaries, which go by texts. */
import type { Machine } from "./machine";
import type { DictExpr, FormatExpr } from "./syntax";
import type { Slot, Value } from "./values";
import { describe, isBroken } from "./values";

/** How Python prints a value that is known; null of one that is not. */
function printed(value: Value): string | null {
  if (value.kind === "number") return `${value.value}`;
  if (value.kind === "string") return value.value;
  if (value.kind === "bool") return value.value ? "True" : "False";
  return value.kind === "none" ? "None" : null;
}

/** `f"layer{i}"`; what is not known stands as … in it, as in a message that nobody compares. */
export function formatted({ pieces }: FormatExpr, operands: readonly Slot[]): Value {
  let next = 0;
  const texts = pieces.map((piece) => (typeof piece === "string" ? piece : (printed(operands[next++]!.value) ?? "…")));
  return { kind: "string", value: texts.join("") };
}

/** The text that `slot` names an entry by; whole numbers are such texts too. Null after a diagnostic. */
export function keyOf(machine: Machine, { value, expr }: Slot): string | null {
  if (value.kind === "string") return value.value;
  if (value.kind === "number" && value.whole) return `${value.value}`;
  if (!isBroken(value))
    machine.problems.add("bad-key", expr!.span, `A key is a text or a whole number; this is ${describe(value)}.`);
  return null;
}

/** Entries by their texts; operands are all keys that are written, then all values. */
export function dictOf(machine: Machine, { keys }: DictExpr, operands: readonly Slot[]): Value {
  const entries = new Map<string, Slot>();
  const values = operands.slice(operands.length - keys.length);
  let next = 0;
  keys.forEach((key, i) => {
    const slot = values[i]!;
    const text = key ? keyOf(machine, operands[next++]!) : null;
    if (text !== null) entries.set(text, slot);
    else if (!key && slot.value.kind === "dict") for (const [each, held] of slot.value.entries) entries.set(each, held);
    else if (!key && !isBroken(slot.value))
      machine.problems.add(
        "bad-key",
        slot.expr!.span,
        `Only a dictionary has entries; this is ${describe(slot.value)}.`,
      );
  });
  return { kind: "dict", entries };
}
