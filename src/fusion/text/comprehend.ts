/** @file Comprehensions: one element after the other, each with the names of its turn. */
import { knownTest } from "./known-test";
import { itemsOf } from "./iterate";
import type { Machine, Place } from "./machine";
import { Scope } from "./scope";
import type { ComprehensionExpr } from "./syntax";
import { bindTargets } from "./targets";
import { keyOf } from "./texts";
import type { Slot, Value } from "./values";
import { BROKEN, isBroken } from "./values";

/** Deeper than people nest comprehensions; keeps the engine's own stack small. */
const DEEPEST = 12;
const MOST_ITEMS = 10_000;

/** The element once for each item; nodes made for item i take paths under `path#i`. */
export function comprehended(
  machine: Machine,
  place: Place,
  expr: ComprehensionExpr,
  iterable: Slot,
  path: string,
): Value {
  const { turn } = place;
  const nested = (turn.nested ?? 0) + 1;
  if (isBroken(iterable.value)) return BROKEN;
  const found = nested > DEEPEST ? null : itemsOf(machine, place, iterable, `${path}/in`);
  if (!found || found.length > MOST_ITEMS) {
    machine.problems.add(
      "outside-language",
      expr.iterable.span,
      "A comprehension goes over range(n) with a constant n, over a tuple, or over the first axis of a tensor.",
    );
    return BROKEN;
  }
  const items: Slot[] = [];
  const entries = new Map<string, Slot>();
  found.forEach((item, i) => {
    const inner: Place = { ...place, turn: { ...turn, scope: new Scope(turn.scope, turn.scope.owner), nested } };
    bindTargets(machine, inner, expr.target, item.value, "loop");
    const at = `${path}#${i}`;
    const test = expr.test ? { value: machine.valueOf(inner, expr.test, `${at}/if`), path: at, expr: expr.test } : null;
    if (test && knownTest(machine, test, expr.test!) !== true) return;
    const slot = { value: machine.valueOf(inner, expr.element, at), path: at, expr: expr.element };
    const key = expr.key
      ? keyOf(machine, { value: machine.valueOf(inner, expr.key, `${at}/key`), path: at, expr: expr.key })
      : null;
    if (key !== null) entries.set(key, slot);
    else if (expr.joins && slot.value.kind === "sequence") items.push(...slot.value.items);
    else items.push(slot);
  });
  return expr.key ? { kind: "dict", entries } : { kind: "sequence", items, list: true };
}
