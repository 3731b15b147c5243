/** @file Lists and dictionaries change where they are: every name, field and list that holds one finds it as it is now. */
import type { Interpreter } from "../interpreter";
import type { Expr } from "../reading/syntax";
import { foldBinary, truthOf } from "./constants";
import { isScalarTensor, NONE, type Operand, type Value } from "./values";

/** What lists and dictionaries were that are shown with the present values of those that they hold. */
const origins = new WeakMap<Value, Value>();

const mayChange = (value: Value): boolean =>
  value.kind === "sequence" || value.kind === "dict" || isScalarTensor(value);

/** From here on, `now` stands wherever `was` is held. */
export function change({ grown }: Interpreter, was: Value, now: Value): void {
  const held = origins.get(was) ?? was;
  if (mayChange(was) && held !== now && !grown.has(now)) grown.set(held, now);
}

const lastOf = ({ grown }: Interpreter, value: Value): Value => {
  let now = value;
  for (let next = grown.get(now); next; next = grown.get(now)) now = next;
  return now;
};

/**
 * Somebody has gone through a generator, up to what is left of it; of one that goes on for ever there is more. What it takes its own
 * items from has gone on as far.
 * @param isFresh nobody else holds it
 */
export function exhaust(interpreter: Interpreter, value: Value, left: readonly Operand[] = [], isFresh = false): void {
  if (value.kind !== "sequence" || !value.isOnce || value.isEndless) return;
  if (!isFresh && value.items.length > 0) change(interpreter, lastOf(interpreter, value), { ...value, items: left });
  for (const { of, total, ahead } of value.from ?? []) {
    const taken = total - left.length + (left.length === 0 ? ahead : 0);
    if (of.kind === "sequence") exhaust(interpreter, of, of.items.slice(taken));
  }
}

/** Somebody asks `2 in rows`: a generator has gone on to what is found in it. */
export function searched(interpreter: Interpreter, wanted: Value, { value, expr }: Operand): void {
  if (value.kind !== "sequence" || !value.isOnce) return;
  const isIt = (item: Operand): boolean => truthOf(foldBinary("==", item.value, wanted) ?? NONE) === true;
  const at = value.items.findIndex(isIt);
  exhaust(interpreter, value, at < 0 ? [] : value.items.slice(at + 1), isMade(expr));
}

/** Whether what an expression stands for was made by it, so that no name has it. */
export const isMade = (expr: Expr | null): boolean => expr?.kind === "call" || expr?.kind === "comprehension";

/** What a value that was bound or stored is now, and what it holds. */
export function latest(interpreter: Interpreter, value: Value): Value {
  const { grown } = interpreter;
  if (grown.size === 0 || !mayChange(value)) return value;
  const now = lastOf(interpreter, origins.get(value) ?? value);
  return shownFor(now, shownAs(interpreter, now));
}

/** `shown` stands for `value` where that is read: it is no other list. */
export function shownFor(value: Value, shown: Value): Value {
  if (shown !== value) origins.set(shown, origins.get(value) ?? value);
  return shown;
}

function shownAs(interpreter: Interpreter, now: Value): Value {
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

/** What a list or a dictionary was when it was made. */
export function madeAs({ grown }: Interpreter, value: Value): Value {
  const before = new Map([...grown].map(([was, now]) => [now, was] as const));
  let at = origins.get(value) ?? value;
  for (let was = before.get(at); was; was = before.get(at)) at = was;
  return at;
}

/** Forgets what was changed after there were so many changes. */
export function forgetGrown({ grown }: Interpreter, size: number): void {
  for (const was of [...grown.keys()].slice(size)) grown.delete(was);
}
