/** @file Lists and dictionaries change where they are: every name, field and list that holds one finds it as it is now. */
import type { Interpreter } from "../interpreter";
import type { Operand, Value } from "./values";

/** From here on, `now` stands wherever `was` is held. */
export function change({ grown }: Interpreter, was: Value, now: Value): void {
  if ((was.kind === "sequence" || was.kind === "dict") && was !== now && !grown.has(now)) grown.set(was, now);
}

/** What a generator holds is gone once somebody has gone through it; of one that goes on for ever there is more. */
export function exhaust(interpreter: Interpreter, value: Value): void {
  if (value.kind === "sequence" && value.isOnce && !value.isEndless && value.items.length > 0)
    change(interpreter, value, { ...value, items: [] });
}

/** What a value that was bound or stored is now, and what it holds. */
export function latest(interpreter: Interpreter, value: Value): Value {
  const { grown } = interpreter;
  if (grown.size === 0 || (value.kind !== "sequence" && value.kind !== "dict")) return value;
  let now: Value = value;
  for (let next = grown.get(now); next; next = grown.get(now)) now = next;
  const renewed = (operand: Operand): Operand => {
    const inner = latest(interpreter, operand.value);
    return inner === operand.value ? operand : { ...operand, value: inner };
  };
  if (now.kind === "sequence") {
    const { items } = now;
    const at = items.map(renewed);
    return at.every((item, i) => item === items[i]) ? now : { ...now, items: at };
  }
  if (now.kind !== "dict") return now;
  const { entries } = now;
  const all = [...entries].map(([key, operand]) => [key, renewed(operand)] as const);
  return all.every(([key, operand]) => operand === entries.get(key)) ? now : { ...now, entries: new Map(all) };
}

/** Forgets what was changed after there were so many changes. */
export function forgetGrown({ grown }: Interpreter, size: number): void {
  for (const was of [...grown.keys()].slice(size)) grown.delete(was);
}
